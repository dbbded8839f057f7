package io.asynq4j.service.gearman;

import io.asynq4j.lease.LeaseOutcome;
import io.asynq4j.lease.LeasedTask;
import java.util.List;
import java.util.Set;

/**
 * Is told of the attempts of gearman workers, for what has to be done around them. Called by
 * threads of the gateway that may ask Redis, several at once.
 */
public interface AttemptListener {

  /** Does nothing. */
  AttemptListener NONE =
      new AttemptListener() {
        @Override
        public Set<String> queuesBefore(LeasedTask task) {
          return Set.of();
        }

        @Override
        public Set<String> queuesAfter(LeasedTask task) {
          return Set.of();
        }

        @Override
        public void begin(List<LeasedTask> tasks) {}

        @Override
        public void end(List<LeaseOutcome> outcomes) {}
      };

  /** The queues that {@link #begin} needs for this task. Must not block. */
  Set<String> queuesBefore(LeasedTask task);

  /** The queues that {@link #end} may need for this task. Must not block. */
  Set<String> queuesAfter(LeasedTask task);

  /**
   * Workers are about to get these. When it throws, they do not, and the tasks go back. May be
   * called again for the same attempt.
   */
  void begin(List<LeasedTask> tasks);

  /**
   * These attempts are about to be settled. When it throws a {@code BrokerException} or an error
   * such as a lack of memory, all of it is repeated, until Redis answers. When Redis refuses it
   * each time for its data, the task is archived.
   */
  void end(List<LeaseOutcome> outcomes);
}
