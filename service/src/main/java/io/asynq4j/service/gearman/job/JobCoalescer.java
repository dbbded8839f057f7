package io.asynq4j.service.gearman.job;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.inspect.Inspector;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has jobs that clients hand in be one with those that are under way already. Notes in the headers
 * of their tasks that somebody else wants them too, so that whoever has handed one in does not take
 * it along when he goes, and that this gateway is told how it goes. Thread-safe.
 */
final class JobCoalescer {

  private static final Logger log = LoggerFactory.getLogger(JobCoalescer.class);

  private static final int MOST_TRIES = 5;

  private final Inspector inspector;
  private final ResultNotifier results;
  private final GatewayBus talk;

  JobCoalescer(Inspector inspector, ResultNotifier results, GatewayBus talk) {
    this.inspector = inspector;
    this.results = results;
    this.talk = talk;
  }

  /** False when that task is not under way. */
  boolean join(JobSubmission job, JobKey key) {
    return join(job, key, /* makesWay= */ false);
  }

  /**
   * The same. In gearman, what has ended leaves no trace: so it is deleted; but not one that
   * another gateway has handed in just now, in its place.
   */
  boolean joinOrMakeWay(JobSubmission job, JobKey key) {
    return join(job, key, /* makesWay= */ true);
  }

  private boolean join(JobSubmission job, JobKey key, boolean makesWay) {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      results.aboutToJoin(key);
      try {
        return tryToJoin(job, key, makesWay);
      } catch (TaskNotFoundException | QueueNotFoundException e) {
        return false;
      } catch (TaskStateException e) {
        // It has just begun, or somebody else has joined it.
        log.debug("task {} is looked at once more: {}", key.id(), e.getMessage());
      }
    }
    return true;
  }

  private boolean tryToJoin(JobSubmission job, JobKey key, boolean makesWay) {
    AtomicReference<TaskInfo> seen = new AtomicReference<>();
    boolean deleted =
        inspector.deleteIf(
            key.queue(),
            key.id(),
            task -> {
              seen.set(task);
              return makesWay && JobKey.hasEnded(task);
            });
    TaskInfo task = Objects.requireNonNull(seen.get());
    String waiter = job.background() ? WaitingGatewaysHeader.OTHERS : talk.name();
    if (deleted) {
      // Who has waited for it and was not told yet is told now.
      results.ended(key, task);
      return false;
    } else if (JobKey.hasEnded(task)) {
      return false;
    } else if (WaitingGatewaysHeader.has(waiter, task.headers())) {
      return true;
    } else if (task.state() != TaskState.ACTIVE) {
      inspector.updateHeaders(
          key.queue(), key.id(), headers -> WaitingGatewaysHeader.with(waiter, headers));
    } else if (!job.background()) {
      talk.want(key);
    }
    return true;
  }
}
