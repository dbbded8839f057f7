package io.asynq4j.service.gearman;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.inspect.Inspector;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Lets no more jobs in where as many wait as may. A queue is looked at a few times a second, and
 * what was let in since is added. Only for the thread that hands jobs in.
 */
final class Backlog {

  private static final long FRESH_NANOS = Duration.ofMillis(200).toNanos();

  private record Look(long pending, long at) {}

  private final Inspector inspector;
  private final Map<String, Look> looks = new HashMap<>();

  Backlog(Inspector inspector) {
    this.inspector = inspector;
  }

  /** Counts a job in, or throws {@link Refusal}. */
  void admit(TaskDefinition definition) {
    if (definition.maxPending() == 0) {
      return;
    }
    String queue = definition.queue().value();
    long now = System.nanoTime();
    Look look = looks.get(queue);
    if (look == null || now - look.at() > FRESH_NANOS) {
      look = new Look(pending(queue), now);
    }
    if (look.pending() >= definition.maxPending()) {
      looks.put(queue, look);
      throw new Refusal(
          "JOB_QUEUE_FULL",
          "as many jobs of \"%s\" wait as may: %,d (maxPending); hand it in again later"
              .formatted(definition.name(), definition.maxPending()));
    }
    looks.put(queue, new Look(look.pending() + 1, look.at()));
  }

  private long pending(String queue) {
    try {
      return inspector.queue(queue).size(TaskState.PENDING);
    } catch (QueueNotFoundException e) {
      return 0;
    }
  }
}
