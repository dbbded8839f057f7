package io.asynq4j.client;

import io.asynq4j.Durability;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What holds for a call: how long it may take (null = as long as Redis), and how safe it is. */
record Terms(@Nullable Duration limit, Durability durability) {

  Terms {
    if (limit != null && (limit.isNegative() || limit.isZero())) {
      throw new IllegalArgumentException("the limit of a call must be positive: " + limit);
    }
  }

  Terms within(Duration newLimit) {
    return new Terms(newLimit, durability);
  }

  Terms durably(Durability newDurability) {
    return new Terms(limit, newDurability);
  }
}
