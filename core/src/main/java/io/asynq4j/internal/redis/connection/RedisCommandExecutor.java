package io.asynq4j.internal.redis.connection;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.IdempotencyLanes;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisNodes.PoolKind;
import io.asynq4j.redis.RedisConfig;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisRedirectionException;

/**
 * Sends commands to Redis and returns the replies. Thread-safe.
 *
 * <p>The reaction to a failure depends on what is known of the command. It was certainly not
 * executed if no connection was available, or if Redis refused it (loading, busy, read-only,
 * moved): then it is sent again for a limited time. If the reply is missing, it may have been
 * executed: then it is sent again only if {@link ResendPolicy} allows it. The exception reports
 * which of the two applies, over all attempts.
 */
public final class RedisCommandExecutor implements AutoCloseable {

  private static final int MAX_REDIRECTIONS = 16;
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final RedisConfig config;
  private final LazyNodes nodes;
  private final RedisFailureTranslator failures;
  private final AtomicBoolean closed;
  private final boolean heedsInterrupts;

  /** Resolves the servers when it is first used. */
  public RedisCommandExecutor(RedisConfig config, Supplier<RedisNodes> nodes) {
    this(config, new LazyNodes(nodes), new AtomicBoolean(), /* heedsInterrupts= */ true);
  }

  private RedisCommandExecutor(
      RedisConfig config, LazyNodes nodes, AtomicBoolean closed, boolean heedsInterrupts) {
    this.config = config;
    this.nodes = nodes;
    this.failures = new RedisFailureTranslator(config);
    this.closed = closed;
    this.heedsInterrupts = heedsInterrupts;
  }

  /**
   * Returns this executor for calls that also carry work of other callers: interrupting the calling
   * thread does not abort such a call. The interrupt stays pending.
   */
  public RedisCommandExecutor uninterrupted() {
    return new RedisCommandExecutor(config, nodes, closed, /* heedsInterrupts= */ false);
  }

  /**
   * Sends an idempotent command on one key.
   *
   * @param more the arguments after the key: texts and numbers
   */
  public @Nullable Object callSafe(ProtocolCommand command, String key, Object... more) {
    CommandArgs args = new CommandArgs(1 + more.length).add(key);
    for (Object each : more) {
      args.add(each.toString());
    }
    return call(key, ResendPolicy.SAFE, command, args);
  }

  /** Sends a command that concerns one key. */
  public @Nullable Object call(
      String key, ResendPolicy repeat, ProtocolCommand command, CommandArgs args) {
    return call(RedisKeys.slot(key), repeat, command, args);
  }

  /** Sends a command to the server that has a slot. */
  public @Nullable Object call(
      int slot, ResendPolicy repeat, ProtocolCommand command, CommandArgs args) {
    CommandArguments arguments = new CommandArguments(command);
    args.values().forEach(arguments::add);
    return call(slot, repeat, PoolKind.SHARED, arguments, null);
  }

  /** Sends a command, and then runs an action on the same connection, which must not throw. */
  public @Nullable Object call(
      int slot,
      ResendPolicy repeat,
      PoolKind pool,
      CommandArguments command,
      @Nullable Consumer<Connection> afterReply) {
    return persist(repeat, () -> callOnce(slot, repeat, pool, command, afterReply));
  }

  /**
   * Sends several idempotent commands together to the server that has a slot. Error replies to
   * single commands, including redirects, are part of the result.
   */
  public List<@Nullable Object> callAll(int slot, List<CommandArguments> commands) {
    return persist(
        ResendPolicy.SAFE,
        () -> {
          try (PooledConnection borrowed = connect(slot, PoolKind.SHARED, null)) {
            return borrowed.use(connection -> exchangeAll(connection, commands));
          } catch (JedisException e) {
            throw lostAnswer(slot, commands.get(0), e);
          }
        });
  }

  private <T extends @Nullable Object> T persist(ResendPolicy repeat, Supplier<T> attempt) {
    long started = System.nanoTime();
    long giveUpAt = started + config.retryFor().toNanos();
    long pause = FIRST_PAUSE_NANOS;
    boolean inDoubt = false;
    boolean interrupted = false;
    requireOpen();
    try {
      while (true) {
        interrupted |= isInterruptedUnheeded();
        try {
          return attempt.get();
        } catch (BrokerException e) {
          interrupted |= isInterruptedUnheeded();
          inDoubt |= e.mayHaveBeenApplied();
          boolean harmless = !inDoubt || isHarmless(repeat, System.nanoTime() + pause - started);
          boolean again =
              harmless
                  && e instanceof BrokerUnavailableException
                  && System.nanoTime() + pause <= giveUpAt
                  && !Thread.currentThread().isInterrupted();
          if (again) {
            LockSupport.parkNanos(pause);
            pause = Math.min(pause * 2, LONGEST_PAUSE_NANOS);
          }
          if (!again || closed.get()) {
            if (!inDoubt) {
              requireOpen();
            }
            throw inDoubt ? RedisFailureTranslator.inDoubt(e) : e;
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Clears the interrupt, which would end the next wait. */
  private boolean isInterruptedUnheeded() {
    return !heedsInterrupts && Thread.interrupted();
  }

  /**
   * A call number is useful only while Redis remembers it, and the reply must also arrive in time.
   */
  private static boolean isHarmless(ResendPolicy repeat, long nanosSinceFirstTry) {
    return switch (repeat) {
      case SAFE -> true;
      case NUMBERED -> nanosSinceFirstTry < IdempotencyLanes.KEEP.toNanos() / 2;
      case NEVER -> false;
    };
  }

  private void requireOpen() {
    if (closed.get()) {
      throw failures.closed();
    }
  }

  /** Makes one attempt, following all redirects. */
  private @Nullable Object callOnce(
      int slot,
      ResendPolicy repeat,
      PoolKind pool,
      CommandArguments command,
      @Nullable Consumer<Connection> afterReply) {
    HostAndPort target = null;
    boolean asking = false;
    for (int redirections = 0; redirections <= MAX_REDIRECTIONS; redirections++) {
      try (PooledConnection borrowed = connect(slot, pool, target)) {
        if (repeat == ResendPolicy.NEVER) {
          requireAlive(slot, borrowed);
        }
        return exchange(slot, borrowed, asking, command, afterReply);
      } catch (JedisRedirectionException redirection) {
        target = redirection.getTargetNode();
        asking = redirection instanceof JedisAskDataException;
        if (!asking) {
          refresh();
        }
      }
    }
    throw failures.redirectLoop(MAX_REDIRECTIONS);
  }

  public static List<@Nullable Object> exchangeAll(
      Connection connection, List<CommandArguments> commands) {
    commands.forEach(connection::sendCommand);
    return connection.getMany(commands.size());
  }

  private PooledConnection connect(int slot, PoolKind pool, @Nullable HostAndPort target) {
    return connecting(
        () ->
            new PooledConnection(
                target == null ? nodes.get().connect(slot, pool) : nodes.get().connectTo(target)));
  }

  /**
   * Opens a connection for exclusive use, such as a subscription, to a server that may no longer
   * have the slot it was looked up for.
   */
  public DedicatedConnection open(RedisServer server) {
    requireOpen();
    return connecting(server::open);
  }

  /** Returns the server that has a slot now. */
  public RedisServer serverOf(int slot) {
    return persist(ResendPolicy.SAFE, () -> connecting(() -> nodes.get().serverOf(slot)));
  }

  /** Runs a step before the command is sent. */
  private <T> T connecting(Supplier<T> step) {
    try {
      return step.get();
    } catch (JedisException e) {
      throw failures.notConnected(e, this::refresh);
    }
  }

  /** Returns a name of the server that has a slot, from cached data only; makes no call. */
  public String shardOf(int slot) {
    RedisNodes known = nodes.known();
    return known == null ? "" : known.shardOf(slot);
  }

  /** Returns whether slots are distributed over several servers. */
  public boolean isSharded() {
    return config.kind() == RedisConfig.Kind.CLUSTER;
  }

  /** Returns whether slots are distributed over several servers, and these are resolved. */
  public boolean isKnownAsSharded() {
    return isSharded() && nodes.known() != null;
  }

  public boolean isOpen() {
    return !closed.get();
  }

  /**
   * A pooled connection may have died long ago. For a command that must not be sent twice, this
   * checks the connection before the command is sent.
   */
  private void requireAlive(int slot, PooledConnection borrowed) {
    try {
      borrowed.use(Connection::ping);
    } catch (JedisDataException e) {
      if (RedisError.of(e).isForAnotherServer()) {
        throw answered(slot, e);
      }
      // The connection is alive. If this error matters, the command gets it too.
    } catch (JedisException e) {
      dropIdleUnlessInterrupted(slot, e);
      throw failures.connectionLost(e);
    }
  }

  private @Nullable Object exchange(
      int slot,
      PooledConnection borrowed,
      boolean asking,
      CommandArguments command,
      @Nullable Consumer<Connection> afterReply) {
    try {
      return borrowed.use(
          connection -> {
            if (asking) {
              connection.executeCommand(Protocol.Command.ASKING);
            }
            Object reply = connection.executeCommand(command);
            if (afterReply != null) {
              afterReply.accept(connection);
            }
            return reply;
          });
    } catch (JedisRedirectionException e) {
      throw e;
    } catch (JedisDataException e) {
      throw answered(slot, e);
    } catch (JedisException e) {
      throw lostAnswer(slot, command, e);
    }
  }

  private BrokerException answered(int slot, JedisDataException e) {
    if (RedisError.of(e).isForAnotherServer()) {
      nodes.get().dropIdle(slot);
      refresh();
    }
    return failures.answered(e);
  }

  private BrokerException lostAnswer(int slot, CommandArguments arguments, JedisException e) {
    dropIdleUnlessInterrupted(slot, e);
    return failures.answerLost(arguments, e);
  }

  private void dropIdleUnlessInterrupted(int slot, JedisException e) {
    if (!RedisFailureTranslator.isCutByInterrupt(e)) {
      nodes.get().dropIdle(slot);
    }
  }

  /** Refreshes the cached data about the servers. */
  public void refresh() {
    RedisNodes known = nodes.known();
    if (known != null) {
      known.refresh();
    }
  }

  /** Translates an error reply on a dedicated connection. */
  BrokerException answered(JedisDataException error) {
    return failures.answered(error);
  }

  @Override
  public void close() {
    closed.set(true);
    nodes.close();
  }
}
