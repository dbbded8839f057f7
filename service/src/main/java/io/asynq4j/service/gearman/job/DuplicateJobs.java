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
 * Finds jobs that are under way in another queue of their function: a unique key holds for a
 * function, whatever the priority. Thread-safe.
 */
final class DuplicateJobs {

  /**
   * A job that may have a twin.
   *
   * @param id the same in all queues
   */
  record Wanted(int number, String id, List<DuplicateJob> places) {}

  /** A job that is under way. */
  record Found(JobKey key, boolean moreUrgent, TaskInfo task) {

    /** Whether this was there before another one, so that the other one has to go. */
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

  /** The twins there are, by the numbers of the wanted; the first one of each. */
  Map<Integer, Found> find(List<Wanted> all) {
    Map<DuplicateJob, List<Wanted>> byPlace = new LinkedHashMap<>();
    for (Wanted wanted : all) {
      for (DuplicateJob place : wanted.places()) {
        byPlace.computeIfAbsent(place, any -> new ArrayList<>()).add(wanted);
      }
    }
    Map<Integer, Found> found = new HashMap<>();
    byPlace.forEach(
        (place, some) -> {
          // Nearly always there are none, which one call tells of all.
          if (inspector.count(place.queue(), some.stream().map(Wanted::id).toList()) > 0) {
            for (Wanted wanted : some) {
              find(place, wanted.id())
                  .ifPresent(
                      twin ->
                          found.merge(
                              wanted.number(),
                              twin,
                              (one, other) -> one.isBefore(other.task()) ? one : other));
            }
          }
        });
    return found;
  }

  private Optional<Found> find(DuplicateJob place, String id) {
    try {
      TaskInfo task = inspector.task(place.queue(), id);
      return JobKey.hasEnded(task)
          ? Optional.empty()
          : Optional.of(new Found(new JobKey(place.queue(), id), place.moreUrgent(), task));
    } catch (TaskNotFoundException | QueueNotFoundException | TaskStateException e) {
      // One that nobody can read is none that anybody will execute.
      return Optional.empty();
    }
  }
}
