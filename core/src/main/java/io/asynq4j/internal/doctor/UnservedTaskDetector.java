package io.asynq4j.internal.doctor;

import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Inspection;
import io.asynq4j.internal.broker.Inspection.Listing;
import io.asynq4j.internal.broker.Inspection.QueueStats;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Tasks that nobody attends to: those of queues that no live server serves, and groups that no
 * server aggregates. Servers come and go, and say nothing of their aggregators; so it counts what
 * has been waiting for longer than either needs.
 */
public final class UnservedTaskDetector {

  /**
   * How long tasks are due before their queue counts as unserved; a fleet has restarted by then.
   */
  static final Duration DUE_FOR = Duration.ofMinutes(5);

  /** How long no task has joined a group that should be aggregated by now. */
  static final Duration GROUP_STILL_FOR = Duration.ofHours(1);

  /** More groups of one queue are not looked at: it is a call for each. */
  static final int MOST_GROUPS = 200;

  private static final int SOME = 50;

  private final Broker broker;

  public UnservedTaskDetector(Broker broker) {
    this.broker = broker;
  }

  private Inspection inspection() {
    return broker.inspection();
  }

  /** The queues that any live server serves, Go's among them. */
  Set<String> served() {
    return broker.presence().servedQueues(broker.clock().instant());
  }

  /** How many tasks wait in a queue although they are due, if nobody works on it; else 0. */
  long waiting(QueueName queue) {
    QueueStats stats = inspection().stats(queue);
    Instant late = stats.at().minus(DUE_FOR);
    return !stats.paused() && !isWorkedOn(queue) && isDue(queue, stats, late)
        ? Stream.of(TaskState.PENDING, TaskState.SCHEDULED, TaskState.RETRY)
            .mapToLong(state -> stats.sizes().getOrDefault(state, 0L))
            .sum()
        : 0;
  }

  /** By somebody who holds leases, and is no server. */
  private boolean isWorkedOn(QueueName queue) {
    return inspection().list(queue, Listing.of(TaskState.ACTIVE, 0, SOME)).tasks().stream()
        .anyMatch(task -> !task.orphaned());
  }

  private boolean isDue(QueueName queue, QueueStats stats, Instant late) {
    Instant pendingSince = stats.oldestPendingSince();
    if (pendingSince != null && pendingSince.isBefore(late)) {
      return true;
    }
    return Stream.of(TaskState.SCHEDULED, TaskState.RETRY)
        .flatMap(state -> inspection().list(queue, Listing.of(state, 0, 1)).tasks().stream())
        .map(TaskInfo::nextProcessAt)
        .anyMatch(at -> at != null && at.isBefore(late));
  }

  /** The groups of a queue that nobody aggregates. */
  public List<String> groups(QueueName queue) {
    Instant late = broker.clock().instant().minus(GROUP_STILL_FOR);
    return inspection().groupSizes(queue).entrySet().stream()
        .filter(group -> group.getValue() >= 0)
        .map(Map.Entry::getKey)
        .limit(MOST_GROUPS)
        .filter(group -> isStill(queue, group, late))
        .toList();
  }

  private boolean isStill(QueueName queue, String group, Instant late) {
    Listing newest = new Listing(TaskState.AGGREGATING, group, /* newestFirst= */ true, 0, 1, null);
    return inspection().list(queue, newest).tasks().stream()
        .map(TaskInfo::since)
        .anyMatch(since -> since != null && since.isBefore(late));
  }
}
