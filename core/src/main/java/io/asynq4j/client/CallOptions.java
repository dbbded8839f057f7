package io.asynq4j.client;

import io.asynq4j.Durability;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What holds for a call: how long it may take (null = as long as Redis), and how safe it is. */
record CallOptions(@Nullable Duration limit, Durability durability) {

  CallOptions {
    if (limit != null && (limit.isNegative() || limit.isZero())) {
      throw new IllegalArgumentException("the limit of a call must be positive: " + limit);
    }
  }

  CallOptions within(Duration newLimit) {
    return new CallOptions(newLimit, durability);
  }

  CallOptions durably(Durability newDurability) {
    return new CallOptions(limit, newDurability);
  }
}
