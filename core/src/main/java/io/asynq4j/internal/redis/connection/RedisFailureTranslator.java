package io.asynq4j.internal.redis.connection;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.redis.RedisConfig;
import java.io.IOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Translates failures of the Redis client into {@link BrokerException}s, which state whether the
 * command may have been executed and what to do next. Immutable.
 */
public final class RedisFailureTranslator {

  /** The JDK's message when the interrupt of a virtual thread has closed its socket. */
  private static final String CLOSED_BY_INTERRUPT = "Closed by interrupt";

  /** The addresses of Redis, for messages. */
  private final String where;

  private final ConnectionFailureAnalyzer analyzer;

  RedisFailureTranslator(RedisConfig config) {
    this.where =
        Stream.concat(config.socketPath().stream(), config.endpoints().stream())
            .map(Object::toString)
            .collect(Collectors.joining(","));
    this.analyzer = new ConnectionFailureAnalyzer(config);
  }

  IllegalStateException closed() {
    return new IllegalStateException(
        "the connection to Redis at " + where + " is closed; open a new one");
  }

  BrokerUnavailableException redirectLoop(int redirections) {
    return new BrokerUnavailableException(
        "redirect loop in the Redis Cluster at " + where + "; it may be reconfiguring, retry later",
        false,
        new IllegalStateException(redirections + " redirections"));
  }

  /**
   * No connection was available or could be opened.
   *
   * @param refresh called if outdated server addresses may be the cause
   */
  BrokerException notConnected(JedisException e, Runnable refresh) {
    JedisDataException answer = CauseFinder.find(JedisDataException.class, e);
    if (answer != null) {
      return answered(answer);
    }
    if (CauseFinder.find(NoSuchElementException.class, e) != null) {
      return new BrokerUnavailableException(
          "all connections to Redis at " + where + " are in use; raise maxConnections", false, e);
    }
    if (isCutByInterrupt(e)) {
      return new BrokerUnavailableException(
          "interrupted while connecting to Redis at " + where, false, e);
    }
    if (CauseFinder.find(InterruptedException.class, e) != null) {
      Thread.currentThread().interrupt();
      return new BrokerUnavailableException(
          "interrupted while waiting for a connection to Redis at " + where, false, e);
    }
    refresh.run();
    return new BrokerUnavailableException(
        "cannot connect to Redis at " + where + ": " + reason(e) + analyzer.ofFailure(e), false, e);
  }

  /** A connection died before a command was sent. */
  BrokerUnavailableException connectionLost(JedisException e) {
    return new BrokerUnavailableException(
        "lost the connection to Redis at " + where + ": " + reason(e), false, e);
  }

  /** A command was sent and its reply is missing. */
  BrokerUnavailableException answerLost(CommandArguments arguments, JedisException e) {
    String command = arguments.getCommand().toString();
    String message =
        isCutByInterrupt(e)
            ? "interrupted while Redis at %s executed %s; it may have been executed"
                .formatted(where, command)
            : "lost the reply of Redis at " + where + " to " + command + ": " + reason(e);
    return new BrokerUnavailableException(message, true, e);
  }

  /** Translates an error reply of Redis. */
  BrokerException answered(JedisDataException error) {
    RedisError kind = RedisError.of(error);
    String advice =
        kind == RedisError.OTHER
            ? analyzer.ofAnswer(String.valueOf(error.getMessage()))
            : kind.advice;
    String message = "Redis at " + where + " returned " + error.getMessage() + advice;
    return kind.passes
        ? new BrokerUnavailableException(message, false, error)
        : new BrokerRefusedException(message, kind.mayBeHalfDone(error), error, kind.reason(error));
  }

  /** Returns the same failure for a command of which an earlier attempt may have been executed. */
  public static BrokerException inDoubt(BrokerException e) {
    if (e.mayHaveBeenApplied()) {
      return e;
    }
    String message =
        e.getMessage() + " (an earlier attempt may have been executed: its reply was lost)";
    Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
    return e instanceof BrokerRefusedException refused
        ? new BrokerRefusedException(message, true, cause, refused.reason())
        : new BrokerUnavailableException(message, true, cause);
  }

  /** An interrupt of a virtual thread closes its socket; other connections are not affected. */
  static boolean isCutByInterrupt(JedisException e) {
    SocketException closed = CauseFinder.find(SocketException.class, e);
    return closed != null
        && Thread.currentThread().isInterrupted()
        && CLOSED_BY_INTERRUPT.equals(closed.getMessage());
  }

  private static String reason(JedisException e) {
    IOException io = CauseFinder.find(IOException.class, e);
    if (io instanceof UnknownHostException) {
      return "unknown host " + io.getMessage();
    }
    return String.valueOf(io == null ? e.getMessage() : io.getMessage());
  }
}
