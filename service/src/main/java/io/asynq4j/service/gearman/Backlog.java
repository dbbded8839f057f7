package io.asynq4j.service.gearman;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.inspect.Inspector;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Lets no more jobs in where as many wait as may. A queue is looked at a few times a second, and
 * what was let in since is added. Thread-safe.
 */
final class Backlog {

  private static final long FRESH_NANOS = Duration.ofMillis(200).toNanos();

  private static final class Look {
    private long pending;
    private long at;
    private boolean made;
  }

  private final Inspector inspector;
  private final Map<String, Look> looks = new ConcurrentHashMap<>();

  Backlog(Inspector inspector) {
    this.inspector = inspector;
  }

  /** Counts a job in, or throws {@link Refusal}. */
  void admit(TaskDefinition definition) {
    if (definition.maxPending() == 0) {
      return;
    }
    String queue = definition.queue().value();
    Look look = looks.computeIfAbsent(queue, any -> new Look());
    synchronized (look) {
      long now = System.nanoTime();
      if (!look.made || now - look.at > FRESH_NANOS) {
        look.pending = pending(queue);
        look.at = now;
        look.made = true;
      }
      if (look.pending >= definition.maxPending()) {
        throw new Refusal(
            "JOB_QUEUE_FULL",
            "as many jobs of \"%s\" wait as may: %,d (maxPending); hand it in again later"
                .formatted(definition.name(), definition.maxPending()));
      }
      look.pending++;
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
