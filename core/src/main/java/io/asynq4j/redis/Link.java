package io.asynq4j.redis;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
 * exception can ask it which of the two it was.
 */
final class Link implements AutoCloseable {

  private static final int MAX_REDIRECTIONS = 16;
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Nodes nodes;
  private final long retryNanos;
  private final String where;

  Link(Nodes nodes, Duration retryFor, String where) {
    this.nodes = nodes;
    this.retryNanos = retryFor.toNanos();
    this.where = where;
  }

  Nodes nodes() {
    return nodes;
  }

  /** Sends a command that concerns one key. */
  @Nullable Object call(String key, Repeat repeat, ProtocolCommand command, Args args) {
    return call(Keys.slot(key), repeat, command, args);
  }

  /** Sends a command to the server that has a slot. */
  @Nullable Object call(int slot, Repeat repeat, ProtocolCommand command, Args args) {
    CommandArguments arguments = new CommandArguments(command);
    for (byte[] value : args.values()) {
      arguments.add(value);
    }
    return call(slot, repeat, arguments);
  }

  private @Nullable Object call(int slot, Repeat repeat, CommandArguments arguments) {
    long giveUpAt = System.nanoTime() + retryNanos;
    long pause = FIRST_PAUSE_NANOS;
    while (true) {
      try {
        return callOnce(slot, arguments);
      } catch (BrokerUnavailableException e) {
        boolean harmless = !e.mayHaveBeenApplied() || repeat != Repeat.NEVER;
        if (!harmless
            || System.nanoTime() + pause > giveUpAt
            || Thread.currentThread().isInterrupted()) {
          throw e;
        }
      }
      LockSupport.parkNanos(pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_NANOS);
    }
  }

  /** One try, through all redirections. */
  private @Nullable Object callOnce(int slot, CommandArguments arguments) {
    HostAndPort target = null;
    boolean asking = false;
    for (int redirections = 0; redirections <= MAX_REDIRECTIONS; redirections++) {
      try (Connection connection = connect(slot, target)) {
        return exchange(connection, asking, arguments);
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
        circle());
  }

  private static Throwable circle() {
    return new IllegalStateException(MAX_REDIRECTIONS + " redirections");
  }

  private Connection connect(int slot, @Nullable HostAndPort target) {
    try {
      return target == null ? nodes.connect(slot) : nodes.connectTo(target);
    } catch (JedisDataException e) {
      throw answered(e);
    } catch (JedisException e) {
      refresh();
      throw new BrokerUnavailableException(
          "cannot connect to Redis at " + where + ": " + reason(e), false, e);
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
      BrokerException answer = answered(e);
      if (answer instanceof BrokerUnavailableException) {
        // A primary that was demoted, or a node that left its cluster, must not be asked again.
        connection.setBroken();
        refresh();
      }
      throw answer;
    } catch (JedisException e) {
      nodes.dropIdle();
      throw new BrokerUnavailableException(
          "lost the answer of Redis at " + where + " to " + name(arguments) + ": " + reason(e),
          true,
          e);
    }
  }

  private void refresh() {
    try {
      nodes.refresh();
    } catch (JedisException e) {
      // The next connection finds out, and says so to its caller.
      nodes.dropIdle();
    }
  }

  /** An error that Redis answered. */
  private BrokerException answered(JedisDataException error) {
    String text = String.valueOf(error.getMessage());
    RedisError kind = RedisError.of(text);
    String message = "Redis at " + where + " answered " + text + kind.advice();
    return kind.passes()
        ? new BrokerUnavailableException(message, false, error)
        : new BrokerRefusedException(message, kind.mayBeHalfDone(), error);
  }

  private static String name(CommandArguments arguments) {
    return arguments.getCommand().toString();
  }

  private static String reason(JedisException e) {
    Throwable deepest = e;
    while (deepest.getCause() != null) {
      deepest = deepest.getCause();
    }
    return deepest.getMessage() == null ? deepest.getClass().getSimpleName() : deepest.getMessage();
  }

  @Override
  public void close() {
    nodes.close();
  }
}
