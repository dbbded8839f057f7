package io.asynq4j;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;

import org.jspecify.annotations.Nullable;

/**
 * Settings of one queue, for the builders of servers and leases: {@code .queue("mail", q ->
 * q.weight(3).maxActive(20))}. Not thread-safe.
 *
 * <p>Limits apply across all servers of this library; Go servers ignore them. Limits that an
 * operator has set in Redis take precedence.
 */
public final class QueueSettings {

  private @Nullable Integer weight;
  private int maxActive;
  private boolean ordered;
  private @Nullable RateLimit rateLimit;

  /** Creates settings with the defaults. Builders call it. */
  public QueueSettings() {}

  /**
   * Share of the workers among busy queues: a queue with weight 6 gets twice as many as one with
   * weight 3. Only servers use it. Default: 1.
   */
  public QueueSettings weight(int newWeight) {
    requireAtLeast(1, newWeight, "weight");
    require(
        weight == null || weight == newWeight,
        "weight is " + weight + " and cannot be " + newWeight + " too: set it once");
    this.weight = newWeight;
    return this;
  }

  /** Maximum number of active tasks. Default: 0, no limit. */
  public QueueSettings maxActive(int limit) {
    requireAtLeast(0, limit, "maxActive");
    this.maxActive = limit;
    requireConsistent();
    return this;
  }

  /**
   * Runs one task at a time, first in, first out. A task that waits for a retry blocks the queue.
   */
  public QueueSettings ordered() {
    this.ordered = true;
    requireConsistent();
    return this;
  }

  private void requireConsistent() {
    require(
        !ordered || maxActive <= 1,
        "ordered() allows one active task at a time, but maxActive is %s: leave out one of them"
            .formatted(maxActive));
  }

  /** Maximum number of tasks that start in a period; null for no limit. Default: no limit. */
  public QueueSettings rateLimit(@Nullable RateLimit limit) {
    this.rateLimit = limit;
    return this;
  }

  public int weight() {
    return weight == null ? 1 : weight;
  }

  /** 0 for no limit. */
  public int maxActive() {
    return maxActive;
  }

  public boolean isOrdered() {
    return ordered;
  }

  /** Null for no limit. */
  public @Nullable RateLimit rateLimit() {
    return rateLimit;
  }
}
