package io.asynq4j.internal.redis.connection;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.IdempotencyLanes;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ResendPolicy;
import java.time.Duration;
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

  private final RedisNodes nodes;
  private final long retryNanos;
  private final RedisFailureTranslator failures;
  private final AtomicBoolean closed;
  private final boolean heedsInterrupts;

  public RedisCommandExecutor(RedisNodes nodes, Duration retryFor, String where) {
    this(nodes, retryFor, where, ConnectionFailureAnalyzer.UNKNOWN);
  }

  public RedisCommandExecutor(
      RedisNodes nodes, Duration retryFor, String where, ConnectionFailureAnalyzer likelyCause) {
    this(
        nodes,
        retryFor.toNanos(),
        new RedisFailureTranslator(where, likelyCause),
        new AtomicBoolean(),
        /* heedsInterrupts= */ true);
  }

  private RedisCommandExecutor(
      RedisNodes nodes,
      long retryNanos,
      RedisFailureTranslator failures,
      AtomicBoolean closed,
      boolean heedsInterrupts) {
    this.nodes = nodes;
    this.retryNanos = retryNanos;
    this.failures = failures;
    this.closed = closed;
    this.heedsInterrupts = heedsInterrupts;
  }

  /**
   * Returns this executor for calls that also carry work of other callers: interrupting the calling
   * thread does not abort such a call. The interrupt stays pending.
   */
  public RedisCommandExecutor uninterrupted() {
    return new RedisCommandExecutor(
        nodes, retryNanos, failures, closed, /* heedsInterrupts= */ false);
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
    return call(slot, repeat, PoolKind.SHARED, command, args, null);
  }

  /** The connections that a call may use. */
  public enum PoolKind {
    SHARED,
    /** Connections reserved for calls that leases depend on. */
    RESERVED
  }

  /** Sends a command, and then runs an action on the same connection, which must not throw. */
  public @Nullable Object call(
      int slot,
      ResendPolicy repeat,
      PoolKind lines,
      ProtocolCommand command,
      CommandArgs args,
      @Nullable Consumer<Connection> afterReply) {
    CommandArguments arguments = new CommandArguments(command);
    for (byte[] value : args.values()) {
      arguments.add(value);
    }
    return persist(repeat, () -> callOnce(slot, repeat, lines, arguments, afterReply));
  }

  /**
   * Sends several idempotent commands together to the server that has a slot. Error replies to
   * single commands, including redirects, are part of the result.
   */
  public List<@Nullable Object> callAll(int slot, List<CommandArguments> commands) {
    return persist(ResendPolicy.SAFE, () -> callAllOnce(slot, commands));
  }

  private <T extends @Nullable Object> T persist(ResendPolicy repeat, Supplier<T> attempt) {
    long started = System.nanoTime();
    long giveUpAt = started + retryNanos;
    long pause = FIRST_PAUSE_NANOS;
    boolean inDoubt = false;
    BrokerException last = null;
    boolean interrupted = false;
    try {
      while (true) {
        if (last != null && inDoubt && closed.get()) {
          throw inDoubt(last);
        }
        requireOpen();
        interrupted |= isInterruptedUnheeded();
        try {
          return attempt.get();
        } catch (BrokerException e) {
          interrupted |= isInterruptedUnheeded();
          last = e;
          inDoubt |= e.mayHaveBeenApplied();
          boolean harmless = !inDoubt || isHarmless(repeat, System.nanoTime() + pause - started);
          if (!harmless
              || !(e instanceof BrokerUnavailableException)
              || System.nanoTime() + pause > giveUpAt
              || Thread.currentThread().isInterrupted()) {
            if (!inDoubt) {
              requireOpen();
            }
            throw inDoubt ? inDoubt(e) : e;
          }
        }
        LockSupport.parkNanos(pause);
        pause = Math.min(pause * 2, LONGEST_PAUSE_NANOS);
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

  /** Returns the same failure for a command of which an earlier attempt may have been executed. */
  public static BrokerException inDoubt(BrokerException e) {
    return RedisFailureTranslator.inDoubt(e);
  }

  /** Makes one attempt, following all redirects. */
  private @Nullable Object callOnce(
      int slot,
      ResendPolicy repeat,
      PoolKind lines,
      CommandArguments arguments,
      @Nullable Consumer<Connection> afterReply) {
    HostAndPort target = null;
    boolean asking = false;
    for (int redirections = 0; redirections <= MAX_REDIRECTIONS; redirections++) {
      try (PooledConnection borrowed = connect(slot, lines, target)) {
        if (repeat == ResendPolicy.NEVER) {
          requireAlive(slot, borrowed);
        }
        Object reply = exchange(slot, borrowed, asking, arguments);
        if (afterReply != null) {
          borrowed.use(
              () -> {
                afterReply.accept(borrowed.connection());
                return true;
              });
        }
        return reply;
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

  private List<@Nullable Object> callAllOnce(int slot, List<CommandArguments> commands) {
    try (PooledConnection borrowed = connect(slot, PoolKind.SHARED, null)) {
      return borrowed.use(() -> exchangeAll(borrowed.connection(), commands));
    } catch (JedisException e) {
      throw lostAnswer(slot, commands.get(0), e);
    }
  }

  public static List<@Nullable Object> exchangeAll(
      Connection connection, List<CommandArguments> commands) {
    commands.forEach(connection::sendCommand);
    return connection.getMany(commands.size());
  }

  private PooledConnection connect(int slot, PoolKind lines, @Nullable HostAndPort target) {
    try {
      if (target != null) {
        return new PooledConnection(nodes.connectTo(target));
      }
      return new PooledConnection(
          lines == PoolKind.RESERVED ? nodes.connectReserved(slot) : nodes.connect(slot));
    } catch (JedisException e) {
      throw notConnected(e);
    }
  }

  /** Opens a connection for exclusive use, such as a subscription. */
  public DedicatedConnection open(int slot) {
    return open(serverOf(slot));
  }

  /** Opens a connection to a server that may no longer have the slot it was looked up for. */
  public DedicatedConnection open(RedisNodes.Server server) {
    requireOpen();
    try {
      return server.opener().get();
    } catch (JedisException e) {
      throw notConnected(e);
    }
  }

  /** Returns the server that has a slot now. */
  public RedisNodes.Server serverOf(int slot) {
    return persist(ResendPolicy.SAFE, () -> asked(() -> nodes.serverOf(slot)));
  }

  /** Returns a name of the server that has a slot, from cached data only; makes no call. */
  public String shardOf(int slot) {
    return nodes.shardOf(slot);
  }

  /**
   * Returns whether slots are distributed over several servers, from cached data only; makes no
   * call.
   */
  public boolean isKnownAsSharded() {
    return nodes.isKnownAsSharded();
  }

  /** Returns whether slots are distributed over several servers. */
  public boolean isSharded() {
    return persist(ResendPolicy.SAFE, () -> asked(nodes::isSharded));
  }

  private <T> T asked(Supplier<T> question) {
    try {
      return question.get();
    } catch (JedisException e) {
      throw notConnected(e);
    }
  }

  public boolean isOpen() {
    return !closed.get();
  }

  private BrokerException notConnected(JedisException e) {
    if (failures.mayHaveMoved(e)) {
      refresh();
    }
    return failures.notConnected(e);
  }

  /**
   * A pooled connection may have died long ago. For a command that must not be sent twice, this
   * checks the connection before the command is sent.
   */
  private void requireAlive(int slot, PooledConnection borrowed) {
    try {
      borrowed.use(() -> borrowed.connection().ping());
    } catch (JedisDataException e) {
      // The connection is alive. If this error matters, the command gets it too.
    } catch (JedisException e) {
      dropIdleUnlessInterrupted(slot, e);
      throw failures.connectionLost(e);
    }
  }

  private @Nullable Object exchange(
      int slot, PooledConnection borrowed, boolean asking, CommandArguments arguments) {
    Connection connection = borrowed.connection();
    try {
      return borrowed.use(
          () -> {
            if (asking) {
              connection.executeCommand(Protocol.Command.ASKING);
            }
            return connection.executeCommand(arguments);
          });
    } catch (JedisRedirectionException e) {
      throw e;
    } catch (JedisDataException e) {
      if (RedisError.of(e).isForAnotherServer()) {
        // A demoted primary, or a node that left its cluster, must not be used again.
        connection.setBroken();
        nodes.dropIdle(slot);
        refresh();
      }
      throw failures.answered(e);
    } catch (JedisException e) {
      throw lostAnswer(slot, arguments, e);
    }
  }

  private BrokerException lostAnswer(int slot, CommandArguments arguments, JedisException e) {
    dropIdleUnlessInterrupted(slot, e);
    return failures.answerLost(arguments, e);
  }

  private void dropIdleUnlessInterrupted(int slot, JedisException e) {
    if (!RedisFailureTranslator.isCutByInterrupt(e)) {
      nodes.dropIdle(slot);
    }
  }

  /** Refreshes the cached data about the servers. */
  public void refresh() {
    try {
      nodes.refresh();
    } catch (JedisException e) {
      // The next connection attempt resolves the servers and reports the failure to its caller.
      nodes.dropIdle();
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
