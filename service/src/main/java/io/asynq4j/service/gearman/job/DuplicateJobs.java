package io.asynq4j.service.gearman.job;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.inspect.Inspector;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds unfinished jobs in another queue of their function: a unique key applies to all priorities
 * of a function. Thread-safe.
 */
final class DuplicateJobs {

  /**
   * A job that may have a duplicate.
   *
   * @param id the same in all queues
   */
  record Wanted(int number, String id, List<DuplicateQueue> queues) {}

  /** An unfinished job. */
  record Found(JobKey key, boolean moreUrgent, TaskInfo task) {

    /** Whether this job precedes another, so that the other is deleted. */
    boolean isBefore(TaskInfo other) {
      if (task.state() == TaskState.ACTIVE) {
        return true;
      }
      Instant own = task.since();
      Instant others = other.since();
      if (own == null || others == null || own.equals(others)) {
        return moreUrgent;
      }
      return own.isBefore(others);
    }
  }

  private final Inspector inspector;

  DuplicateJobs(Inspector inspector) {
    this.inspector = inspector;
  }

  /** The first duplicate of each wanted job that has one, by the number of the wanted job. */
  Map<Integer, Found> find(List<Wanted> all) {
    Map<DuplicateQueue, List<Wanted>> byQueue = new LinkedHashMap<>();
    for (Wanted wanted : all) {
      for (DuplicateQueue queue : wanted.queues()) {
        byQueue.computeIfAbsent(queue, any -> new ArrayList<>()).add(wanted);
      }
    }
    Map<Integer, Found> found = new HashMap<>();
    byQueue.forEach(
        (queue, jobs) -> {
          // Duplicates are rare, and one call can exclude them for all jobs.
          if (inspector.queue(queue.queue()).count(jobs.stream().map(Wanted::id).toList()) > 0) {
            for (Wanted wanted : jobs) {
              find(queue, wanted.id())
                  .ifPresent(
                      duplicate ->
                          found.merge(
                              wanted.number(),
                              duplicate,
                              (one, other) -> one.isBefore(other.task()) ? one : other));
            }
          }
        });
    return found;
  }

  private Optional<Found> find(DuplicateQueue queue, String id) {
    try {
      TaskInfo task = inspector.queue(queue.queue()).task(id);
      return JobKey.hasEnded(task)
          ? Optional.empty()
          : Optional.of(new Found(new JobKey(queue.queue(), id), queue.moreUrgent(), task));
    } catch (TaskNotFoundException | QueueNotFoundException | TaskStateException e) {
      // A task that cannot be read will not be executed either.
      return Optional.empty();
    }
  }
}
