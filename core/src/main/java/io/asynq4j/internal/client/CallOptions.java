package io.asynq4j.internal.client;

import io.asynq4j.Durability;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What holds for a call: how long it may take (null = as long as Redis), and how safe it is. */
public record CallOptions(@Nullable Duration limit, Durability durability) {

  public CallOptions {
    if (limit != null && (limit.isNegative() || limit.isZero())) {
      throw new IllegalArgumentException("the limit of a call must be positive: " + limit);
    }
  }

  public CallOptions within(Duration newLimit) {
    return new CallOptions(newLimit, durability);
  }

  public CallOptions durably(Durability newDurability) {
    return new CallOptions(limit, newDurability);
  }
}
