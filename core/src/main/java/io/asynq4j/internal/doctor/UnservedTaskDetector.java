package io.asynq4j.internal.doctor;

import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.TaskInspection.Listing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Detects tasks that no process handles: those of queues that no live server serves, and groups
 * that no server aggregates. Servers restart and do not publish their aggregators, so only tasks
 * that have waited longer than either needs are counted.
 */
public final class UnservedTaskDetector {

  /**
   * How long tasks must be due before their queue counts as unserved; all servers can restart
   * within it.
   */
  static final Duration DUE_FOR = Duration.ofMinutes(5);

  /** How long a group must be without new tasks before it counts as not aggregated. */
  static final Duration GROUP_STILL_FOR = Duration.ofHours(1);

  /** Maximum number of groups to check per queue, since each costs a call. */
  static final int MOST_GROUPS = 200;

  private static final int SOME = 50;

  private final Broker broker;

  public UnservedTaskDetector(Broker broker) {
    this.broker = broker;
  }

  /** Returns the queues that any live server serves, including Go servers. */
  Set<String> served() {
    return broker.presence().servedQueues(broker.clock().instant());
  }

  /** Returns the number of due tasks that wait in a queue that no process works on; otherwise 0. */
  long waiting(QueueName queue) {
    QueueSnapshot stats = broker.queues().snapshot(queue);
    Instant late = stats.at().minus(DUE_FOR);
    return !stats.paused() && !isWorkedOn(queue) && isDue(queue, stats, late)
        ? Stream.of(TaskState.PENDING, TaskState.SCHEDULED, TaskState.RETRY)
            .mapToLong(stats::size)
            .sum()
        : 0;
  }

  /** Returns whether a process other than a server has leases on the queue. */
  private boolean isWorkedOn(QueueName queue) {
    return broker.tasks().list(queue, Listing.first(TaskState.ACTIVE, SOME)).tasks().stream()
        .anyMatch(task -> !task.orphaned());
  }

  private boolean isDue(QueueName queue, QueueSnapshot stats, Instant late) {
    Instant pendingSince = stats.oldestPendingSince();
    if (pendingSince != null && pendingSince.isBefore(late)) {
      return true;
    }
    return Stream.of(TaskState.SCHEDULED, TaskState.RETRY)
        .flatMap(state -> broker.tasks().list(queue, Listing.first(state, 1)).tasks().stream())
        .map(TaskInfo::nextProcessAt)
        .anyMatch(at -> at != null && at.isBefore(late));
  }

  /** Returns the groups of a queue that no server aggregates. */
  public List<String> groups(QueueName queue) {
    Instant late = broker.clock().instant().minus(GROUP_STILL_FOR);
    return broker.queues().groupSizes(queue).entrySet().stream()
        .filter(group -> group.getValue() >= 0)
        .map(Map.Entry::getKey)
        .limit(MOST_GROUPS)
        .filter(group -> isStill(queue, group, late))
        .toList();
  }

  private boolean isStill(QueueName queue, String group, Instant late) {
    Listing newest = new Listing(TaskState.AGGREGATING, group, /* newestFirst= */ true, 0, 1, null);
    return broker.tasks().list(queue, newest).tasks().stream()
        .map(TaskInfo::since)
        .anyMatch(since -> since != null && since.isBefore(late));
  }
}
