package io.asynq4j.internal.doctor;

import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.FindingKind;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.inspect.Diagnostics.FindingDetail;
import io.asynq4j.internal.broker.inspect.Diagnostics.Subject;
import io.asynq4j.internal.broker.inspect.Diagnostics.SubjectKind;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Finds queues that no live server serves and groups that no server aggregates. A queue counts only
 * if it is unserved in both examinations. Servers restart and do not publish their aggregators, so
 * only tasks that have waited longer than either needs are counted. Not thread-safe.
 */
public final class UnservedCheck {

  /**
   * How long tasks must be due before their queue counts as unserved; all servers can restart
   * within it.
   */
  private static final Duration DUE_FOR = Duration.ofMinutes(5);

  /** How long a group must be without new tasks before it counts as not aggregated. */
  private static final Duration GROUP_STILL_FOR = Duration.ofHours(1);

  /** Maximum number of groups to check per queue, since each costs a call. */
  private static final int MOST_GROUPS = 200;

  private static final int SOME = 50;

  private final Broker broker;
  private final FindingCandidates candidates;
  private final Set<String> registered;
  private Map<QueueName, Long> unserved = Map.of();

  /**
   * @param registered queue names; other queues are not examined
   */
  UnservedCheck(Broker broker, FindingCandidates candidates, Set<String> registered) {
    this.broker = broker;
    this.candidates = candidates;
    this.registered = registered;
  }

  /** Examines queues for the first time. */
  void examine(Collection<QueueName> queues) {
    unserved = unserved(queues);
  }

  /** Examines queues without a server for the second time, and the groups of all others. */
  void confirm(Collection<QueueName> queues) {
    Map<QueueName, Long> still = unserved.isEmpty() ? Map.of() : unserved(unserved.keySet());
    still.forEach(
        (queue, tasks) ->
            add(
                FindingKind.UNSERVED_QUEUE,
                Subject.of(SubjectKind.QUEUE, queue, queue.value()),
                tasks));
    for (QueueName queue : queues) {
      if (!still.containsKey(queue)) {
        candidates.guarded(
            "cannot examine the groups of queue " + queue,
            () ->
                unaggregatedGroups(broker, queue).stream()
                    .map(group -> Subject.of(SubjectKind.GROUP, queue, group))
                    .forEach(group -> add(FindingKind.UNAGGREGATED_GROUP, group, 1)));
      }
    }
  }

  /** Returns queues with due tasks and no server, with the number of waiting tasks. */
  private Map<QueueName, Long> unserved(Collection<QueueName> queues) {
    Map<QueueName, Long> waiting = new TreeMap<>();
    candidates.guarded(
        "cannot determine which queues are served",
        () -> {
          Set<String> served = broker.presence().servedQueues(broker.clock().instant());
          for (QueueName queue : queues) {
            if (!served.contains(queue.value()) && registered.contains(queue.value())) {
              candidates.guarded(
                  "cannot determine whether a server serves queue " + queue,
                  () -> waiting.put(queue, waiting(queue)));
            }
          }
        });
    waiting.values().removeIf(tasks -> tasks == 0);
    return waiting;
  }

  /** Returns the number of due tasks that wait in a queue that no process works on; otherwise 0. */
  private long waiting(QueueName queue) {
    QueueSnapshot stats = broker.queues().snapshot(queue);
    return isUnclaimed(broker, queue, stats)
        ? Stream.of(TaskState.PENDING, TaskState.SCHEDULED, TaskState.RETRY)
            .mapToLong(stats::size)
            .sum()
        : 0;
  }

  /** Returns whether tasks of a queue are due for long and no process has a lease on the queue. */
  public static boolean isUnclaimed(Broker broker, QueueName queue, QueueSnapshot stats) {
    return !stats.paused()
        && isDue(broker, queue, stats, stats.at().minus(DUE_FOR))
        && first(broker, queue, stats, TaskState.ACTIVE, SOME).allMatch(TaskInfo::orphaned);
  }

  private static boolean isDue(Broker broker, QueueName queue, QueueSnapshot stats, Instant late) {
    Instant pendingSince = stats.oldestPendingSince();
    if (pendingSince != null && pendingSince.isBefore(late)) {
      return true;
    }
    return Stream.of(TaskState.SCHEDULED, TaskState.RETRY)
        .flatMap(state -> first(broker, queue, stats, state, 1))
        .map(TaskInfo::nextProcessAt)
        .anyMatch(at -> at != null && at.isBefore(late));
  }

  /** Saves the call where there are no tasks. */
  private static Stream<TaskInfo> first(
      Broker broker, QueueName queue, QueueSnapshot stats, TaskState state, int limit) {
    return stats.size(state) == 0
        ? Stream.empty()
        : broker.tasks().list(queue, Listing.first(state, limit)).tasks().stream();
  }

  /** Returns the groups of a queue that no server aggregates. */
  public static List<String> unaggregatedGroups(Broker broker, QueueName queue) {
    Instant late = broker.clock().instant().minus(GROUP_STILL_FOR);
    return broker.queues().groupSizes(queue).entrySet().stream()
        .filter(group -> group.getValue() >= 0)
        .map(Map.Entry::getKey)
        .limit(MOST_GROUPS)
        .filter(group -> isStill(broker, queue, group, late))
        .toList();
  }

  private static boolean isStill(Broker broker, QueueName queue, String group, Instant late) {
    Listing newest = new Listing(TaskState.AGGREGATING, group, /* newestFirst= */ true, 0, 1, null);
    return broker.tasks().list(queue, newest).tasks().stream()
        .map(TaskInfo::since)
        .anyMatch(since -> since != null && since.isBefore(late));
  }

  private void add(FindingKind kind, Subject subject, long count) {
    candidates.counter().add(subject, new FindingDetail(kind, count, ""), /* isRepaired= */ false);
  }
}
