package io.asynq4j.lease;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that a queue gave. Immutable.
 *
 * @param heldUntil when it gives the next one, where a rate or a failed task of an ordered queue
 *     decides it; null where nothing but tasks or places are missing
 */
public record LeaseBatch(List<LeasedTask> tasks, @Nullable Instant heldUntil) {
  public LeaseBatch {
    tasks = List.copyOf(tasks);
  }
}
