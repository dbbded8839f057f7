package io.asynq4j.dashboard.internal.live;

import io.asynq4j.TaskState;
import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.internal.view.ScheduleView;
import io.asynq4j.http.JsonFields;
import io.asynq4j.inspect.ScheduleSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A problem or state that an operator should know about. Immutable.
 *
 * @param queue null if the item is not about a queue
 * @param schedule null if the item is not about a schedule entry
 */
record AttentionItem(
    String kind,
    @Nullable String queue,
    @Nullable String schedule,
    Severity severity,
    String text) {

  /** The severity of an item, the most severe first. */
  enum Severity {
    ERROR,
    WARNING,
    INFO
  }

  /** Limits the size of the overview. */
  private static final int MAX_ITEMS = 100;

  /** The states in which a task waits for a server. */
  private static final List<TaskState> WAITING =
      List.of(TaskState.PENDING, TaskState.SCHEDULED, TaskState.RETRY, TaskState.AGGREGATING);

  private static final Duration LONG_LATENCY = Duration.ofSeconds(30);
  private static final Duration STALLED = Duration.ofMinutes(2);

  /** Part of a limit from which on a warning is shown. */
  private static final double NEAR_LIMIT = 0.9;

  JsonFields fields() {
    return new JsonFields()
        .put("kind", kind)
        .put("queue", queue)
        .put("schedule", schedule)
        .put("severity", severity.name().toLowerCase(Locale.ROOT))
        .put("text", text);
  }

  /**
   * Finds the problems in the part of the snapshot that the user may see, the most severe first.
   */
  static List<AttentionItem> find(RedisSnapshot snapshot, Grant grant, int archiveSize) {
    List<AttentionItem> all = new ArrayList<>();
    if (snapshot.problem() != null) {
      all.add(
          new AttentionItem("redis-unreachable", null, null, Severity.ERROR, snapshot.problem()));
    }
    ofRedis(snapshot.info(), all);
    snapshot.visible(grant).forEach(row -> ofQueue(row, snapshot, archiveSize, all));
    for (ScheduleSnapshot schedule : snapshot.schedules()) {
      if (ScheduleView.isVisible(schedule, grant)) {
        ofSchedule(schedule, snapshot.at(), all);
      }
    }
    return all.stream()
        .sorted(Comparator.comparing(AttentionItem::severity))
        .limit(MAX_ITEMS)
        .toList();
  }

  private static void ofRedis(Map<String, String> info, List<AttentionItem> all) {
    long maxMemory = number(info.get("maxmemory"));
    String policy = info.getOrDefault("maxmemory_policy", "noeviction");
    if (maxMemory > 0 && !policy.equals("noeviction")) {
      all.add(
          new AttentionItem(
              "eviction-policy",
              null,
              null,
              Severity.ERROR,
              "Redis evicts keys when its memory is full (maxmemory-policy %s), so tasks can be lost. Set maxmemory-policy to noeviction."
                  .formatted(policy)));
    }
    long used = number(info.get("used_memory"));
    if (maxMemory > 0 && used > NEAR_LIMIT * maxMemory) {
      all.add(
          new AttentionItem(
              "memory-near-limit",
              null,
              null,
              Severity.WARNING,
              "Redis uses %,d of %,d bytes. When the memory is full, tasks can no longer be enqueued."
                  .formatted(used, maxMemory)));
    }
  }

  private static long number(@Nullable String text) {
    try {
      return text == null ? 0 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private static void ofQueue(
      QueueRow row, RedisSnapshot snapshot, int archiveSize, List<AttentionItem> all) {
    String queue = row.name();
    if (row.problem() != null) {
      all.add(
          of(
              "queue-unreadable",
              queue,
              Severity.ERROR,
              "The queue cannot be read: " + row.problem()));
      return;
    }
    if (row.paused()) {
      all.add(of("queue-paused", queue, Severity.INFO, "The queue is paused."));
    }
    String waiting = waitingTasks(row);
    if (row.isUnserved() && !waiting.isEmpty()) {
      all.add(
          of(
              "no-server",
              queue,
              Severity.WARNING,
              "No live server serves the queue, and no other worker claims its tasks. Waiting tasks: %s."
                  .formatted(waiting)));
    } else if (row.unaggregated() > 0) {
      all.add(
          of(
              "no-aggregator",
              queue,
              Severity.WARNING,
              "%,d groups received their last task more than an hour ago and were not aggregated. Check that a server of the queue has an aggregator."
                  .formatted(row.unaggregated())));
    }
    // Some may have been recovered since their leases were checked.
    long orphans = Math.min(row.orphans(), row.size(TaskState.ACTIVE));
    if (orphans > 0) {
      all.add(
          of(
              "orphans",
              queue,
              Severity.WARNING,
              "%s%,d active tasks have no valid lease, and no live server serves the queue. Start a server to recover them."
                  .formatted(orphans < UnservedQueueCheck.MAX_ACTIVE ? "" : "At least ", orphans)));
    }
    Long before = snapshot.latencies().get(queue);
    long now = row.latency().toMillis();
    if (!row.paused() && before != null && now > LONG_LATENCY.toMillis() && now > before) {
      all.add(
          of(
              "growing-latency",
              queue,
              Severity.WARNING,
              "The next task has been waiting for %,d seconds; one minute ago the wait was %,d seconds."
                  .formatted(now / 1000, before / 1000)));
    }
    long archived = row.size(TaskState.ARCHIVED);
    if (archived > NEAR_LIMIT * archiveSize) {
      all.add(
          of(
              "archive-near-limit",
              queue,
              Severity.WARNING,
              "%,d tasks are archived. The limit is %,d; above it, the oldest are deleted."
                  .formatted(archived, archiveSize)));
    }
  }

  /** Returns the sizes of the states in which tasks wait for a server, such as "3 pending". */
  private static String waitingTasks(QueueRow row) {
    return WAITING.stream()
        .filter(state -> row.size(state) > 0)
        .map(state -> "%,d %s".formatted(row.size(state), state.word()))
        .collect(Collectors.joining(", "));
  }

  private static AttentionItem of(String kind, String queue, Severity severity, String text) {
    return new AttentionItem(kind, queue, null, severity, text);
  }

  private static void ofSchedule(
      ScheduleSnapshot schedule, @Nullable Instant now, List<AttentionItem> all) {
    if (schedule.problem() != null) {
      all.add(
          new AttentionItem(
              "schedule-unreadable",
              null,
              schedule.id(),
              Severity.ERROR,
              "The schedule entry cannot be read: " + schedule.problem()));
      return;
    }
    if (!schedule.isLive() && schedule.pausedSince() == null) {
      all.add(
          new AttentionItem(
              "no-scheduler",
              null,
              schedule.id(),
              Severity.WARNING,
              "No live scheduler has this entry, so it does not fire. Start a scheduler, or forget the entry."));
    }
    Instant next = schedule.next();
    if (now != null
        && next != null
        && schedule.pausedSince() == null
        && next.isBefore(now.minus(STALLED))) {
      all.add(
          new AttentionItem(
              "schedule-stalled",
              null,
              schedule.id(),
              Severity.WARNING,
              "The entry was due at " + next + " and has not fired since."));
    }
  }
}
