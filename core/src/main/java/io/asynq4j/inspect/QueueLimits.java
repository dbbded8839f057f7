package io.asynq4j.inspect;

import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;

import io.asynq4j.RateLimit;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Limits of a queue across all servers, set in Redis. A limit that is set there takes precedence
 * over the configuration of servers; an empty one leaves it to them. Go servers ignore limits.
 * Immutable.
 *
 * @param maxActive maximum number of active tasks; 0 = unlimited
 * @param ordered whether tasks run one at a time in order, and a failed task blocks the queue
 * @param rate maximum rate at which tasks start; {@link RateLimit#UNLIMITED} = unlimited
 */
public record QueueLimits(
    OptionalInt maxActive, Optional<Boolean> ordered, Optional<RateLimit> rate) {

  /** No limits in Redis: the configuration of servers applies. */
  public static final QueueLimits NONE =
      new QueueLimits(OptionalInt.empty(), Optional.empty(), Optional.empty());

  public QueueLimits {
    maxActive.ifPresent(limit -> requireAtLeast(0, limit, "maxActive"));
  }

  public QueueLimits withMaxActive(int newMaxActive) {
    return new QueueLimits(OptionalInt.of(newMaxActive), ordered, rate);
  }

  public QueueLimits withOrdered(boolean newOrdered) {
    return new QueueLimits(maxActive, Optional.of(newOrdered), rate);
  }

  public QueueLimits withRate(RateLimit newRate) {
    return new QueueLimits(maxActive, ordered, Optional.of(newRate));
  }
}
