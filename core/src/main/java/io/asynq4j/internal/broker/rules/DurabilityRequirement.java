package io.asynq4j.internal.broker.rules;

import io.asynq4j.Durability;
import java.time.Duration;

/**
 * How safe a new task must be before it counts as enqueued.
 *
 * @param replicas how many replicas must have it, if they must
 * @param within how long that may take
 */
public record DurabilityRequirement(Durability durability, int replicas, Duration within) {

  /** The primary has it. */
  public static final DurabilityRequirement NONE =
      new DurabilityRequirement(Durability.PRIMARY, 0, Duration.ZERO);
}
