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
 * Lets submitted jobs join a task that exists already. Records the new client in the headers of the
 * task. So the task is not deleted when its first client disconnects, and this gateway receives its
 * progress. Thread-safe.
 */
final class JobCoalescer {

  private static final Logger log = LoggerFactory.getLogger(JobCoalescer.class);

  private static final int MAX_TRIES = 5;

  private final Inspector inspector;
  private final ResultNotifier results;
  private final GatewayBus bus;

  JobCoalescer(Inspector inspector, ResultNotifier results, GatewayBus bus) {
    this.inspector = inspector;
    this.results = results;
    this.bus = bus;
  }

  /** Joins a task. Returns false when it is not in progress. */
  boolean join(JobSubmission job, JobKey key) {
    return join(job, key, /* deletesEnded= */ false);
  }

  /**
   * Joins a task, or deletes it if it has ended: gearman does not remember jobs that ended. A task
   * that another gateway has just enqueued in its place is not deleted.
   */
  boolean joinOrDeleteEnded(JobSubmission job, JobKey key) {
    return join(job, key, /* deletesEnded= */ true);
  }

  private boolean join(JobSubmission job, JobKey key, boolean deletesEnded) {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      results.aboutToJoin(key);
      try {
        return tryToJoin(job, key, deletesEnded);
      } catch (TaskNotFoundException | QueueNotFoundException e) {
        return false;
      } catch (TaskStateException e) {
        // It has just been started, or another client has joined it.
        log.debug(
            "task {} changed while it was joined; trying again: {}", key.id(), e.getMessage());
      }
    }
    return true;
  }

  private boolean tryToJoin(JobSubmission job, JobKey key, boolean deletesEnded) {
    AtomicReference<TaskInfo> seen = new AtomicReference<>();
    boolean deleted =
        inspector
            .queue(key.queue())
            .deleteIf(
                key.id(),
                task -> {
                  seen.set(task);
                  return deletesEnded && JobKey.hasEnded(task);
                });
    TaskInfo task = Objects.requireNonNull(seen.get());
    String waiter = job.background() ? WaitingGatewaysHeader.OTHERS : bus.name();
    if (deleted) {
      // Clients that wait for it may not have received the result yet.
      results.ended(key, task);
      return false;
    } else if (JobKey.hasEnded(task)) {
      return false;
    } else if (WaitingGatewaysHeader.has(waiter, task.headers())) {
      return true;
    } else if (task.state() != TaskState.ACTIVE) {
      inspector
          .queue(key.queue())
          .updateHeaders(key.id(), headers -> WaitingGatewaysHeader.with(waiter, headers));
    } else if (!job.background()) {
      bus.subscribe(key);
    }
    return true;
  }
}
