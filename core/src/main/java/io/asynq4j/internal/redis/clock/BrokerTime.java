package io.asynq4j.internal.redis.clock;

import io.asynq4j.QueueName;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.time.ElapsedBounds;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/** What time it is for the broker: Redis's own time, or, in tests, the time that was set. */
public interface BrokerTime {

  /** For what is computed in Java. */
  Clock clock();

  /**
   * For scripts, in microseconds; empty, so that they look at Redis's clock, unless the time was
   * set.
   */
  String forScripts();

  /** This machine's steady timer. */
  default long nanoTime() {
    return System.nanoTime();
  }

  /** How long ago the clock has shown this time, see {@link ElapsedBounds}. */
  default ElapsedBounds elapsedSince(Instant moment) {
    Duration elapsed = Duration.between(moment, clock().instant());
    return new ElapsedBounds(elapsed, elapsed);
  }

  /**
   * Whether the time of a queue has stepped forward lately, as when the clock of its server is set.
   * Then leases seem to have run out that nobody had the time to extend.
   *
   * @param shard the server that has the queue, see {@link RedisCommandExecutor#shardOf}
   * @param now what this server has just said
   * @param sentNanos when it was asked, by {@link #nanoTime}
   */
  default boolean hasStepped(
      String shard, QueueName queue, Instant now, long sentNanos, Duration lately) {
    return false;
  }

  /** The time of a clock that a test sets. */
  static BrokerTime of(Clock clock) {
    return new BrokerTime() {
      @Override
      public Clock clock() {
        return clock;
      }

      @Override
      public String forScripts() {
        Instant now = clock.instant();
        return String.format("%d%06d", now.getEpochSecond(), now.getNano() / 1000);
      }
    };
  }
}
