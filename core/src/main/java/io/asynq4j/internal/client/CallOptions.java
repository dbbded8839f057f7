package io.asynq4j.internal.client;

import io.asynq4j.Durability;
import io.asynq4j.internal.broker.rules.DurabilityRequirement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Options of a call: its time limit (null = that of Redis) and the required durability. */
public record CallOptions(@Nullable Duration limit, DurabilityRequirement confirmation) {

  public CallOptions {
    if (limit != null && (limit.isNegative() || limit.isZero())) {
      throw new IllegalArgumentException(
          "the limit of a call must be greater than 0, got " + limit);
    }
  }

  public Durability durability() {
    return confirmation.durability();
  }
}
