package io.asynq4j.service.api;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.inspect.Inspector;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Takes no more tasks where as many wait as may. Queues are looked at a few times a second, and
 * what this replica has let in since is added, so a bound may be passed by what other replicas let
 * in between two looks. Thread-safe.
 */
public final class PendingTaskLimiter {

  private static final long FRESH_NANOS = Duration.ofMillis(200).toNanos();
  private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

  private record Look(long pending, long at) {}

  private final Inspector inspector;
  private final Map<String, Look> looks = new ConcurrentHashMap<>();

  public PendingTaskLimiter(Inspector inspector) {
    this.inspector = inspector;
  }

  /** Throws a problem, or counts the task in. */
  public void admit(TaskDefinition definition) {
    if (definition.maxPending() == 0) {
      return;
    }
    Look look =
        looks.compute(
            definition.queue().value(),
            (queue, last) -> {
              long now = System.nanoTime();
              Look current =
                  last == null || now - last.at() > FRESH_NANOS
                      ? new Look(pending(queue), now)
                      : last;
              return new Look(current.pending() + 1, current.at());
            });
    if (look.pending() > definition.maxPending()) {
      throw Problem.notNow(
          429,
          "too-many-waiting",
          "as many tasks named \"%s\" wait as may (%,d)"
              .formatted(definition.name(), definition.maxPending()),
          RETRY_AFTER);
    }
  }

  private long pending(String queue) {
    try {
      return inspector.queue(queue).size(TaskState.PENDING);
    } catch (QueueNotFoundException e) {
      return 0;
    }
  }
}
