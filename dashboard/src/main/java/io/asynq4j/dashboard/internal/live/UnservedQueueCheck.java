package io.asynq4j.dashboard.internal.live;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.inspect.QueueInspector;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks queues that no live server serves: whether another process claims their tasks, and how
 * many active tasks are orphaned. Each queue is checked once a minute, and a poll checks a limited
 * number of queues, so the cost of a poll does not grow with the number of queues. Used by one
 * thread.
 */
final class UnservedQueueCheck {

  private static final Logger log = LoggerFactory.getLogger(UnservedQueueCheck.class);

  /** A check needs up to five calls. */
  static final int MAX_QUEUES_PER_POLL = 100;

  /** Number of active tasks per queue whose leases are checked. */
  static final int MAX_ACTIVE = 50;

  private static final Duration INTERVAL = Duration.ofMinutes(1);

  private static final List<TaskState> UNFINISHED =
      List.of(TaskState.PENDING, TaskState.SCHEDULED, TaskState.RETRY, TaskState.ACTIVE);

  private final Inspector inspector;
  private final RedisReader reader;

  /** By queue, the oldest first. */
  private final Map<String, Check> checks = new LinkedHashMap<>();

  private record Finding(boolean isUnclaimed, int orphans) {

    static final Finding NONE = new Finding(false, 0);
  }

  /**
   * The last check of a queue.
   *
   * @param wasUnclaimed whether the check before it found the queue unclaimed too. Only then is the
   *     queue reported, because a single check can fall between two leases.
   */
  private record Check(long nanos, Finding finding, boolean wasUnclaimed) {

    boolean isConfirmed() {
      return finding.isUnclaimed && wasUnclaimed;
    }

    boolean isUnconfirmed() {
      return finding.isUnclaimed && !wasUnclaimed;
    }

    boolean isOld() {
      return System.nanoTime() - nanos > INTERVAL.toNanos();
    }
  }

  UnservedQueueCheck(Inspector inspector, RedisReader reader) {
    this.inspector = inspector;
    this.reader = reader;
  }

  /** Checks some queues, and adds what is known of all queues to their rows. */
  void addTo(Map<String, QueueRow> rows) {
    checks.keySet().removeIf(queue -> !isCandidate(rows.get(queue)));
    Map<String, QueueRow> due = due(rows);
    reader
        .readEach(
            "queues without a server",
            due.keySet(),
            queue -> read(Objects.requireNonNull(due.get(queue))))
        .forEach(
            (queue, result) -> {
              if (result.value() == null) {
                log.debug("dashboard: queue {} cannot be checked: {}", queue, result.problem());
              }
              // A late result may be of a queue that needs no check any more.
              if (isCandidate(rows.get(queue))) {
                keep(queue, result.value() == null ? Finding.NONE : result.value());
              }
            });
    checks.forEach(
        (queue, check) ->
            rows.computeIfPresent(
                queue,
                (name, row) -> row.withUnserved(check.isConfirmed(), check.finding.orphans)));
  }

  private static boolean isCandidate(@Nullable QueueRow row) {
    return row != null
        && row.servers() == 0
        && row.problem() == null
        && UNFINISHED.stream().anyMatch(state -> row.size(state) > 0);
  }

  /** Returns the rows to check in this poll, with those first that a second check may confirm. */
  private Map<String, QueueRow> due(Map<String, QueueRow> rows) {
    Stream<QueueRow> unchecked =
        rows.values().stream().filter(row -> isCandidate(row) && !checks.containsKey(row.name()));
    Map<String, QueueRow> due = new LinkedHashMap<>();
    Stream.of(checked(rows, Check::isUnconfirmed), unchecked, checked(rows, Check::isOld))
        .flatMap(some -> some)
        .limit(MAX_QUEUES_PER_POLL)
        .forEach(row -> due.put(row.name(), row));
    return due;
  }

  private Stream<QueueRow> checked(Map<String, QueueRow> rows, Predicate<Check> condition) {
    return checks.entrySet().stream()
        .filter(entry -> condition.test(entry.getValue()))
        .map(entry -> Objects.requireNonNull(rows.get(entry.getKey())));
  }

  private Finding read(QueueRow row) {
    QueueInspector queue = inspector.queue(row.name());
    long orphans =
        row.size(TaskState.ACTIVE) == 0
            ? 0
            : queue.tasks(TaskState.ACTIVE, PageRequest.first(MAX_ACTIVE)).tasks().stream()
                .filter(TaskInfo::orphaned)
                .count();
    return new Finding(queue.isUnclaimed(), (int) orphans);
  }

  private void keep(String queue, Finding finding) {
    Check before = checks.remove(queue);
    boolean wasUnclaimed = before != null && before.finding.isUnclaimed;
    checks.put(queue, new Check(System.nanoTime(), finding, wasUnclaimed));
  }
}
