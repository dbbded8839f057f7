package io.asynq4j.service.gearman;

import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.LeasedTask.LeaseOutcome;
import java.util.List;
import java.util.Set;

/**
 * Called before and after the attempts of gearman workers, by several threads at once. May call
 * Redis.
 */
public interface AttemptListener {

  /** Does nothing. */
  AttemptListener NONE = new AttemptListener() {};

  /** The queues that {@link #begin} needs for this task. Must not block. */
  default Set<String> queuesBefore(LeasedTask task) {
    return Set.of();
  }

  /** The queues that {@link #end} may need for this task. Must not block. */
  default Set<String> queuesAfter(LeasedTask task) {
    return Set.of();
  }

  /**
   * Called before workers get these tasks. When it throws, the tasks are requeued. May be called
   * again for the same attempt.
   */
  default void begin(List<LeasedTask> tasks) {}

  /**
   * Called before these attempts are settled. When it throws a {@code BrokerException} or an error
   * such as a lack of memory, call and settlement are repeated until Redis answers. When Redis
   * refuses the data each time, the task is archived.
   */
  default void end(List<LeaseOutcome> outcomes) {}
}
