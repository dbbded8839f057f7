package io.asynq4j.dashboard.live;

import io.asynq4j.TaskState;
import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.view.ScheduleView;
import io.asynq4j.http.JsonFields;
import io.asynq4j.inspect.ScheduleSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Something that a person should look at. Immutable.
 *
 * @param queue null when it is about no queue
 * @param schedule null when it is about no schedule
 */
record AttentionItem(
    String kind,
    @Nullable String queue,
    @Nullable String schedule,
    Severity severity,
    String text) {

  /** How bad it is, the worst first. */
  enum Severity {
    ERROR,
    WARNING,
    INFO
  }

  /** More than anybody reads. */
  private static final int MOST = 100;

  private static final Duration LONG_LATENCY = Duration.ofSeconds(30);
  private static final Duration STALLED = Duration.ofMinutes(2);
  private static final double NEAR = 0.9;

  JsonFields fields() {
    return new JsonFields()
        .put("kind", kind)
        .put("queue", queue)
        .put("schedule", schedule)
        .put("severity", severity.name().toLowerCase(java.util.Locale.ROOT))
        .put("text", text);
  }

  /** What needs attention in what a user sees, the worst first. */
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
    return all.stream().sorted(Comparator.comparing(AttentionItem::severity)).limit(MOST).toList();
  }

  private static void ofRedis(Map<String, String> info, List<AttentionItem> all) {
    long most = number(info.get("maxmemory"));
    String policy = info.getOrDefault("maxmemory_policy", "noeviction");
    if (most > 0 && !policy.equals("noeviction")) {
      all.add(
          new AttentionItem(
              "eviction-policy",
              null,
              null,
              Severity.ERROR,
              "Redis deletes keys when its memory is full (maxmemory-policy %s): tasks will be lost. Set it to noeviction."
                  .formatted(policy)));
    }
    long used = number(info.get("used_memory"));
    if (most > 0 && used > NEAR * most) {
      all.add(
          new AttentionItem(
              "memory-near-limit",
              null,
              null,
              Severity.WARNING,
              "Redis uses %,d of %,d bytes; when it is full, nothing can be enqueued."
                  .formatted(used, most)));
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
      all.add(of("queue-unreadable", queue, Severity.ERROR, "It cannot be read: " + row.problem()));
      return;
    }
    if (row.paused()) {
      all.add(of("queue-paused", queue, Severity.INFO, "It is paused."));
    }
    long waiting = row.size(TaskState.PENDING);
    long later = row.size(TaskState.SCHEDULED) + row.size(TaskState.RETRY);
    if (row.servers() == 0 && waiting + later + row.size(TaskState.AGGREGATING) > 0) {
      all.add(
          of(
              "no-server",
              queue,
              Severity.WARNING,
              "No live server serves it, and %,d tasks wait.".formatted(waiting)));
    }
    if (row.servers() > 0 && row.unaggregated() > 0) {
      all.add(
          of(
              "no-aggregator",
              queue,
              Severity.WARNING,
              "%,d groups got their last task an hour ago and are still there: no server of the queue seems to have an aggregator."
                  .formatted(row.unaggregated())));
    }
    if (row.servers() == 0 && row.size(TaskState.ACTIVE) > 0) {
      all.add(
          of(
              "orphans",
              queue,
              Severity.WARNING,
              "%,d tasks are active, but no live server serves the queue: nobody recovers them."
                  .formatted(row.size(TaskState.ACTIVE))));
    }
    Long before = snapshot.latencies().get(queue);
    long now = row.latency().toMillis();
    if (!row.paused() && before != null && now > LONG_LATENCY.toMillis() && now > before) {
      all.add(
          of(
              "growing-latency",
              queue,
              Severity.WARNING,
              "The next task has waited for %,d seconds, a minute ago it was %,d."
                  .formatted(now / 1000, before / 1000)));
    }
    long archived = row.size(TaskState.ARCHIVED);
    if (archived > NEAR * archiveSize) {
      all.add(
          of(
              "archive-near-limit",
              queue,
              Severity.WARNING,
              "%,d tasks are archived; beyond %,d the oldest are deleted."
                  .formatted(archived, archiveSize)));
    }
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
              "It cannot be read: " + schedule.problem()));
      return;
    }
    if (!schedule.isLive() && schedule.pausedSince() == null) {
      all.add(
          new AttentionItem(
              "no-scheduler",
              null,
              schedule.id(),
              Severity.WARNING,
              "No live scheduler has it, so it enqueues nothing. Start one, or forget the entry."));
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
              "It was due at " + next + " and has enqueued nothing since."));
    }
  }
}
