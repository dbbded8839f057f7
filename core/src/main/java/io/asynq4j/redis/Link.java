package io.asynq4j.redis;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import java.io.IOException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
 * Carries commands to Redis and answers back. Thread-safe.
 *
 * <p>What is done about a failure depends on what is known of the command. It was certainly not
 * done when no connection could be had, or when Redis itself refused it (loading, busy, read-only,
 * moved elsewhere): then it is sent again for a while. When the answer is missing, it may have been
 * done: then it is sent again only if that does no harm, as {@link Repeat} tells. Whoever gets an
 * exception can ask it which of the two it was, over all tries.
 */
final class Link implements AutoCloseable {

  private static final int MAX_REDIRECTIONS = 16;
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Nodes nodes;
  private final long retryNanos;
  private final String where;
  private volatile boolean closed;

  Link(Nodes nodes, Duration retryFor, String where) {
    this.nodes = nodes;
    this.retryNanos = retryFor.toNanos();
    this.where = where;
  }

  /** Sends a command that concerns one key. */
  @Nullable Object call(String key, Repeat repeat, ProtocolCommand command, Args args) {
    return call(Keys.slot(key), repeat, command, args);
  }

  /** Sends a command to the server that has a slot. */
  @Nullable Object call(int slot, Repeat repeat, ProtocolCommand command, Args args) {
    return call(slot, repeat, command, args, null);
  }

  /** Something to be done on the connection that a command was answered on. It must not throw. */
  @FunctionalInterface
  interface Epilogue {
    void on(Connection connection);
  }

  /** The same, with something that follows the answer on the same connection. */
  @Nullable Object call(
      int slot, Repeat repeat, ProtocolCommand command, Args args, @Nullable Epilogue epilogue) {
    CommandArguments arguments = new CommandArguments(command);
    for (byte[] value : args.values()) {
      arguments.add(value);
    }
    return persist(repeat, () -> callOnce(slot, repeat, arguments, epilogue));
  }

  /**
   * Sends commands that may be done twice together to the server that has a slot. The errors that
   * Redis answers to single ones, redirections too, are among the answers.
   */
  List<@Nullable Object> callAll(int slot, List<CommandArguments> commands) {
    return persist(Repeat.SAFE, () -> callAllOnce(slot, commands));
  }

  private <T extends @Nullable Object> T persist(Repeat repeat, Supplier<T> attempt) {
    long started = System.nanoTime();
    long giveUpAt = started + retryNanos;
    long pause = FIRST_PAUSE_NANOS;
    boolean inDoubt = false;
    while (true) {
      requireOpen();
      try {
        return attempt.get();
      } catch (BrokerException e) {
        inDoubt |= e.mayHaveBeenApplied();
        boolean harmless = !inDoubt || isHarmless(repeat, System.nanoTime() + pause - started);
        if (!harmless
            || !(e instanceof BrokerUnavailableException)
            || System.nanoTime() + pause > giveUpAt
            || Thread.currentThread().isInterrupted()) {
          throw inDoubt ? inDoubt(e) : e;
        }
      }
      LockSupport.parkNanos(pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_NANOS);
    }
  }

  /** A number is only of use while Redis remembers it, and the answer must arrive in time too. */
  private static boolean isHarmless(Repeat repeat, long nanosSinceFirstTry) {
    return switch (repeat) {
      case SAFE -> true;
      case NUMBERED -> nanosSinceFirstTry < Lanes.KEEP.toNanos() / 2;
      case NEVER -> false;
    };
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this connection to Redis at " + where + " has been closed");
    }
  }

  /** The same failure of a command of which an earlier try may have been done. */
  static BrokerException inDoubt(BrokerException e) {
    if (e.mayHaveBeenApplied()) {
      return e;
    }
    String message = e.getMessage() + " (an earlier try may have been done: its answer was lost)";
    Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
    return e instanceof BrokerUnavailableException
        ? new BrokerUnavailableException(message, true, cause)
        : new BrokerRefusedException(message, true, cause);
  }

  /** One try, through all redirections. */
  private @Nullable Object callOnce(
      int slot, Repeat repeat, CommandArguments arguments, @Nullable Epilogue epilogue) {
    HostAndPort target = null;
    boolean asking = false;
    for (int redirections = 0; redirections <= MAX_REDIRECTIONS; redirections++) {
      try (Connection connection = connect(slot, target)) {
        if (repeat == Repeat.NEVER) {
          requireAlive(connection);
        }
        Object reply = exchange(connection, asking, arguments);
        if (epilogue != null) {
          epilogue.on(connection);
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
    throw new BrokerUnavailableException(
        "Redis at " + where + " redirects in circles; its cluster may be reconfiguring",
        false,
        new IllegalStateException(MAX_REDIRECTIONS + " redirections"));
  }

  private List<@Nullable Object> callAllOnce(int slot, List<CommandArguments> commands) {
    try (Connection connection = connect(slot, null)) {
      return exchangeAll(connection, commands);
    } catch (JedisException e) {
      throw lostAnswer(commands.get(0), e);
    }
  }

  static List<@Nullable Object> exchangeAll(
      Connection connection, List<CommandArguments> commands) {
    commands.forEach(connection::sendCommand);
    return connection.getMany(commands.size());
  }

  private Connection connect(int slot, @Nullable HostAndPort target) {
    try {
      return target == null ? nodes.connect(slot) : nodes.connectTo(target);
    } catch (JedisException e) {
      throw notConnected(e);
    }
  }

  /** A connection of the caller's own, for subscriptions. */
  Connection open(int slot) {
    return open(serverOf(slot));
  }

  /** The same, to a server that may no longer have the slot for which it was asked. */
  Connection open(Nodes.Server server) {
    requireOpen();
    try {
      return server.opener().get();
    } catch (JedisException e) {
      throw notConnected(e);
    }
  }

  /** The server that has a slot at this time. */
  Nodes.Server serverOf(int slot) {
    return persist(Repeat.SAFE, () -> asked(() -> nodes.serverOf(slot)));
  }

  /** Whether slots are spread over several servers. */
  boolean isSharded() {
    return persist(Repeat.SAFE, () -> asked(nodes::isSharded));
  }

  private <T> T asked(Supplier<T> question) {
    try {
      return question.get();
    } catch (JedisException e) {
      throw notConnected(e);
    }
  }

  boolean isOpen() {
    return !closed;
  }

  private BrokerException notConnected(JedisException e) {
    JedisDataException answer = find(JedisDataException.class, e);
    if (answer != null) {
      return answered(answer);
    }
    if (find(NoSuchElementException.class, e) != null) {
      return new BrokerUnavailableException(
          "all connections to Redis at " + where + " are in use; raise maxConnections", false, e);
    }
    if (find(InterruptedException.class, e) != null) {
      Thread.currentThread().interrupt();
      return new BrokerUnavailableException(
          "interrupted while waiting for a connection to Redis at " + where, false, e);
    }
    refresh();
    return new BrokerUnavailableException(
        "cannot connect to Redis at "
            + where
            + ": "
            + reason(e)
            + "; check that it runs and that the address is right",
        false,
        e);
  }

  /**
   * A pooled connection may have died long ago. For a command that must not be sent twice, that is
   * found out while it has certainly not been sent.
   */
  private void requireAlive(Connection connection) {
    try {
      connection.ping();
    } catch (JedisDataException e) {
      // It lives. What it says now it will say to the command too, if it matters.
    } catch (JedisException e) {
      nodes.dropIdle();
      throw new BrokerUnavailableException(
          "lost the connection to Redis at " + where + ": " + reason(e), false, e);
    }
  }

  private @Nullable Object exchange(
      Connection connection, boolean asking, CommandArguments arguments) {
    try {
      if (asking) {
        connection.executeCommand(Protocol.Command.ASKING);
      }
      return connection.executeCommand(arguments);
    } catch (JedisRedirectionException e) {
      throw e;
    } catch (JedisDataException e) {
      if (RedisError.of(e).isForAnotherServer()) {
        // A primary that was demoted, or a node that left its cluster, must not be asked again.
        connection.setBroken();
        nodes.dropIdle();
        refresh();
      }
      throw answered(e);
    } catch (JedisException e) {
      throw lostAnswer(arguments, e);
    }
  }

  private BrokerException lostAnswer(CommandArguments arguments, JedisException e) {
    nodes.dropIdle();
    return new BrokerUnavailableException(
        "lost the answer of Redis at " + where + " to " + name(arguments) + ": " + reason(e),
        true,
        e);
  }

  /** What is known of the servers may be out of date. */
  void refresh() {
    try {
      nodes.refresh();
    } catch (JedisException e) {
      // The next connection finds out, and says so to its caller.
      nodes.dropIdle();
    }
  }

  /** An error that Redis answered. */
  BrokerException answered(JedisDataException error) {
    RedisError kind = RedisError.of(error);
    String message = "Redis at " + where + " answered " + error.getMessage() + kind.advice();
    return kind.passes()
        ? new BrokerUnavailableException(message, false, error)
        : new BrokerRefusedException(message, kind.mayBeHalfDone(error), error);
  }

  private static String name(CommandArguments arguments) {
    return arguments.getCommand().toString();
  }

  /** Jedis hides what happened behind causes, and where it tried several hosts, beside them. */
  private static <T extends Throwable> @Nullable T find(Class<T> kind, @Nullable Throwable e) {
    if (e == null || kind.isInstance(e)) {
      return kind.cast(e);
    }
    T found = find(kind, e.getCause());
    for (Throwable suppressed : e.getSuppressed()) {
      found = found != null ? found : find(kind, suppressed);
    }
    return found;
  }

  private static String reason(JedisException e) {
    IOException io = find(IOException.class, e);
    if (io instanceof UnknownHostException) {
      return "unknown host " + io.getMessage();
    }
    return String.valueOf(io == null ? e.getMessage() : io.getMessage());
  }

  @Override
  public void close() {
    closed = true;
    nodes.close();
  }
}
