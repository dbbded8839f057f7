package io.asynq4j.internal.broker.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.RateLimit;
import io.asynq4j.inspect.QueueLimits;
import java.time.Instant;
import java.util.Optional;

/** Pauses queues, and reads and sets their limits. Thread-safe. */
public interface QueueControl {

  /** Returns false if it was already paused. */
  boolean pause(QueueName queue);

  /** Returns false if it was not paused. */
  boolean resume(QueueName queue);

  /** Returns the operator's limits of a queue; where empty, the configuration applies. */
  QueueLimits limits(QueueName queue);

  void setLimits(QueueName queue, QueueLimits limits);

  /** Returns the current rate of a queue; empty if Redis has no rate for it. */
  Optional<Pace> pace(QueueName queue);

  /**
   * A rate limit and its remaining tokens.
   *
   * @param tokens how many tasks may start at once
   * @param at when this was read
   */
  record Pace(RateLimit rate, double tokens, Instant at) {

    /** Returns when this many tasks may have started. */
    public Instant whenEnoughFor(long tasks) {
      double missing = Math.max(0, tasks - tokens);
      return at.plusMillis((long) Math.ceil(missing * 1000 / rate.perSecond()));
    }
  }
}
