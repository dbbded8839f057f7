package io.asynq4j.internal.redis.clock;

import io.asynq4j.QueueName;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.time.ElapsedBounds;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/** The broker's source of time: the time of Redis, or a time that a test sets. */
public interface BrokerTime {

  /** The clock for computations in Java. */
  Clock clock();

  /**
   * The time for scripts, in microseconds. Empty if scripts should read the clock of Redis, which
   * is so unless a test sets the time.
   */
  String forScripts();

  /**
   * Lua code that runs before each script, so that a set time also applies to keys that expire.
   * Empty if Redis expires them, which is so unless a test sets the time.
   */
  default String scriptPrefix() {
    return "";
  }

  /** This machine's monotonic timer. */
  long nanoTime();

  /** Returns how long ago the clock showed this time, see {@link ElapsedBounds}. */
  ElapsedBounds elapsedSince(Instant moment);

  /**
   * Returns whether the clock of a queue's server has recently stepped forward, for example because
   * an operator set it. Leases then appear expired although their holders had no time to extend
   * them.
   *
   * @param shard the server that has the queue, see {@link RedisCommandExecutor#shardOf}
   * @param now the time that this server just returned
   * @param sentNanos when the request was sent, by {@link #nanoTime}
   */
  boolean hasStepped(String shard, QueueName queue, Instant now, long sentNanos, Duration lately);
}
