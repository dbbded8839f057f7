package io.asynq4j.internal.broker.rules;

import io.asynq4j.Durability;
import java.time.Duration;

/**
 * The durability that a new task needs before it counts as enqueued.
 *
 * @param replicas number of replicas that must have it, if required
 * @param within timeout of the confirmation
 */
public record DurabilityRequirement(Durability durability, int replicas, Duration within) {

  /** Requires the primary only. */
  public static final DurabilityRequirement NONE =
      new DurabilityRequirement(Durability.PRIMARY, 0, Duration.ZERO);
}
