package io.asynq4j.dashboard.internal.search;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.internal.live.RedisInstance;
import io.asynq4j.dashboard.internal.view.PageCursor;
import io.asynq4j.dashboard.internal.view.PayloadRenderer;
import io.asynq4j.http.JsonFields;
import io.asynq4j.internal.text.TextExcerpt;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Groups failed tasks by fingerprint. Grouping scans the tasks, so a result is cached for a short
 * time for requests with the same query and permissions. Thread-safe.
 */
public final class FailureGrouper {

  static final Set<TaskState> STATES = Set.copyOf(EnumSet.of(TaskState.RETRY, TaskState.ARCHIVED));

  private static final int MAX_SCANNED = 20_000;
  private static final int STEP = 500;
  private static final Duration BUDGET = Duration.ofSeconds(3);
  private static final Duration SHARED = Duration.ofSeconds(5);
  private static final int MAX_SHARED = 50;

  private final Map<CacheKey, Report> recent = new LinkedHashMap<>();

  private record CacheKey(String redis, String query, List<String> queues) {}

  /** A group of failures while it is counted. */
  private static final class Group {
    final String fingerprint;
    final String type;
    final String error;
    final TaskInfo sample;
    final Map<String, Long> states = new LinkedHashMap<>();
    final Set<String> queues = new TreeSet<>();
    long count;
    @Nullable Instant first;
    @Nullable Instant last;

    Group(String fingerprint, String error, TaskInfo sample) {
      this.fingerprint = fingerprint;
      this.type = sample.type();
      this.error = error;
      this.sample = sample;
    }

    void add(TaskInfo task) {
      count++;
      states.merge(task.state().word(), 1L, Long::sum);
      queues.add(task.queue().value());
      Instant at = task.lastFailedAt() == null ? task.since() : task.lastFailedAt();
      if (at != null) {
        first = first == null || at.isBefore(first) ? at : first;
        last = last == null || at.isAfter(last) ? at : last;
      }
    }

    JsonFields fields() {
      return new JsonFields()
          .put("fingerprint", fingerprint)
          .put("type", type)
          .put("error", error)
          .put(
              "sample",
              new JsonFields()
                  .put("queue", sample.queue().value())
                  .put("id", sample.id())
                  .put("error", TextExcerpt.of(sample.lastError(), 2_000))
                  .map())
          .put("count", count)
          .put("states", states)
          .put("queues", queues)
          .put("firstSeen", first)
          .put("lastSeen", last)
          .put("query", "fingerprint:" + fingerprint + " state:retry,archived");
    }
  }

  private record Report(
      List<Group> groups, long looked, boolean isComplete, Instant at, long nanos, long changes) {}

  public JsonFields groups(
      RedisInstance source,
      PayloadRenderer contents,
      Query query,
      Grant grant,
      int limit,
      @Nullable String cursor) {
    Report report = report(source, contents, query, grant);
    return PageCursor.page(report.groups(), limit, cursor, Group::fields)
        .put("looked", report.looked())
        .put("complete", report.isComplete())
        .put("at", report.at());
  }

  /** Scans without a lock, so that a long scan does not block other queries. */
  private Report report(RedisInstance source, PayloadRenderer contents, Query query, Grant grant) {
    CacheKey key = new CacheKey(source.name(), query.text(), grant.queues());
    long changes = source.changeCount();
    Report known = known(key);
    if (known != null
        && known.changes() == changes
        && System.nanoTime() - known.nanos() < SHARED.toNanos()) {
      return known;
    }
    Report report = count(source, contents, query.narrowedTo(STATES), grant, changes);
    remember(key, report);
    return report;
  }

  private synchronized @Nullable Report known(CacheKey key) {
    return recent.get(key);
  }

  private synchronized void remember(CacheKey key, Report report) {
    recent.remove(key);
    recent.put(key, report);
    if (recent.size() > MAX_SHARED) {
      recent.remove(recent.keySet().iterator().next());
    }
  }

  private static Report count(
      RedisInstance source, PayloadRenderer contents, Query query, Grant grant, long changes) {
    long end = System.nanoTime() + BUDGET.toNanos();
    TaskSearch search = new TaskSearch(source, contents);
    Map<String, Group> groups = new LinkedHashMap<>();
    long looked = 0;
    String cursor = null;
    do {
      Duration left = Duration.ofNanos(Math.max(1, end - System.nanoTime()));
      TaskSearch.Found found = search.find(query, grant, STEP, cursor, left);
      for (TaskInfo task : found.tasks()) {
        add(contents.shown(task), groups);
      }
      looked += found.looked();
      cursor = found.cursor();
    } while (cursor != null && looked < MAX_SCANNED && System.nanoTime() - end < 0);
    List<Group> sorted = new ArrayList<>(groups.values());
    sorted.sort(Comparator.comparingLong((Group group) -> group.count).reversed());
    return new Report(sorted, looked, cursor == null, source.now(), System.nanoTime(), changes);
  }

  private static void add(TaskInfo task, Map<String, Group> groups) {
    if (task.lastError().isEmpty()) {
      return;
    }
    String error = FailureFingerprint.normalised(task.lastError());
    String fingerprint = FailureFingerprint.of(task.type(), error);
    groups.computeIfAbsent(fingerprint, any -> new Group(fingerprint, error, task)).add(task);
  }
}
