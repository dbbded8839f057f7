package io.asynq4j.inspect;

import io.asynq4j.RateLimit;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Limits of a queue over all servers that are set in Redis. What is set there wins over the
 * configuration of servers, at once; what is not, is left to it. Go servers obey neither.
 * Immutable.
 *
 * @param maxActive how many tasks may run at once; 0 = as many as there are workers
 * @param ordered one at a time, first in, first out, and a task that fails holds the line
 * @param rate how many tasks may begin in how long; {@link RateLimit#UNLIMITED} = any number
 */
public record QueueLimits(
    OptionalInt maxActive, Optional<Boolean> ordered, Optional<RateLimit> rate) {

  /** Everything is left to the configuration. */
  public static final QueueLimits NONE =
      new QueueLimits(OptionalInt.empty(), Optional.empty(), Optional.empty());

  public QueueLimits {
    if (maxActive.isPresent() && maxActive.getAsInt() < 0) {
      throw new IllegalArgumentException("maxActive must not be negative: " + maxActive.getAsInt());
    }
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
