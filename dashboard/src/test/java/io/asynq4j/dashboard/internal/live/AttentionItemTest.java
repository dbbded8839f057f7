package io.asynq4j.dashboard.internal.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskState;
import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.Role;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.inspect.ScheduleSnapshot;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Conditions that the overview reports. */
class AttentionItemTest {

  private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");
  private static final int ARCHIVE = 1_000;

  private static QueueRow row(
      String name,
      Map<TaskState, Long> sizes,
      @Nullable Instant pendingSince,
      @Nullable Instant pausedSince,
      int servers) {
    return new QueueRow(
        name,
        QueueSnapshot.builder(name, NOON)
            .sizes(sizes)
            .oldestPendingSince(pendingSince)
            .pausedSince(pausedSince)
            .build(),
        servers,
        null);
  }

  private static QueueRow unserved(Map<TaskState, Long> sizes) {
    return row("mail", sizes, 0).withUnserved(true, 0);
  }

  private static QueueRow row(String name, Map<TaskState, Long> sizes, int servers) {
    return row(name, sizes, null, null, servers);
  }

  private static List<AttentionItem> items(
      QueueRow row, Map<String, Long> latencies, Map<String, String> info) {
    RedisSnapshot snapshot =
        new RedisSnapshot(
            NOON, null, Map.of(row.name(), row), List.of(), List.of(), latencies, info);
    return AttentionItem.find(snapshot, Grant.of(Role.VIEWER), ARCHIVE);
  }

  private static String textOf(QueueRow row) {
    List<AttentionItem> items = items(row, Map.of(), Map.of());
    assertThat(items).hasSize(1);
    return items.get(0).text();
  }

  private static List<String> found(
      QueueRow row, Map<String, Long> latencies, Map<String, String> info) {
    return items(row, latencies, info).stream()
        .map(each -> each.severity() + " " + each.kind() + " " + each.queue())
        .toList();
  }

  private static List<String> found(QueueRow row) {
    return found(row, Map.of(), Map.of());
  }

  @Test
  void aHealthyQueueIsNotReported() {
    assertThat(found(row("mail", Map.of(TaskState.PENDING, 5L, TaskState.ARCHIVED, 900L), 1)))
        .isEmpty();
    assertThat(found(row("mail", Map.of(TaskState.COMPLETED, 5L), 0))).isEmpty();
  }

  @Test
  void aPausedQueueIsReported() {
    assertThat(found(row("mail", Map.of(), null, NOON, 1)))
        .containsExactly("INFO queue-paused mail");
  }

  @Test
  void dueTasksThatNothingClaimsAreReported() {
    assertThat(found(unserved(Map.of(TaskState.SCHEDULED, 1L))))
        .containsExactly("WARNING no-server mail");
    assertThat(found(unserved(Map.of(TaskState.ARCHIVED, 1L)))).isEmpty();
  }

  @Test
  void aQueueWithoutAServerIsNotReportedWhileOtherWorkersLeaseItsTasks() {
    assertThat(found(row("mail", Map.of(TaskState.PENDING, 5L, TaskState.ACTIVE, 1L), 0)))
        .isEmpty();
  }

  @Test
  void orphanedTasksWithoutAServerAreReported() {
    QueueRow active = row("mail", Map.of(TaskState.ACTIVE, 60L), 0);

    assertThat(textOf(active.withUnserved(false, 2)))
        .isEqualTo(
            "2 active tasks have no valid lease, and no live server serves the queue. Start a server to recover them.");
    assertThat(textOf(active.withUnserved(false, 50))).startsWith("At least 50 active tasks");
    assertThat(found(row("mail", Map.of(), 0).withUnserved(false, 2))).isEmpty();
  }

  @Test
  void anUnservedQueueNamesItsWaitingTasks() {
    assertThat(
            textOf(
                unserved(
                    Map.of(
                        TaskState.RETRY,
                        1L,
                        TaskState.PENDING,
                        1_200L,
                        TaskState.SCHEDULED,
                        3L,
                        TaskState.AGGREGATING,
                        5L,
                        TaskState.ARCHIVED,
                        7L))))
        .isEqualTo(
            "No live server serves the queue, and no other worker claims its tasks. Waiting tasks: 1,200 pending, 3 scheduled, 1 retry, 5 aggregating.");
  }

  @Test
  void groupsWithoutAnAggregatorAreReported() {
    Map<TaskState, Long> grouped = Map.of(TaskState.AGGREGATING, 5L);

    assertThat(found(row("mail", grouped, 1))).isEmpty();
    assertThat(found(row("mail", grouped, 1).withUnaggregated(2)))
        .containsExactly("WARNING no-aggregator mail");
    assertThat(found(row("mail", grouped, 0).withUnaggregated(2)))
        .containsExactly("WARNING no-aggregator mail");
    assertThat(found(unserved(grouped).withUnaggregated(2)))
        .containsExactly("WARNING no-server mail");
  }

  @Test
  void growingLatencyIsReported() {
    QueueRow slow = row("mail", Map.of(TaskState.PENDING, 5L), NOON.minusSeconds(60), null, 1);

    assertThat(found(slow, Map.of("mail", 20_000L), Map.of()))
        .containsExactly("WARNING growing-latency mail");
    assertThat(found(slow, Map.of("mail", 70_000L), Map.of())).isEmpty();
    assertThat(found(slow)).isEmpty();
  }

  @Test
  void anArchiveNearItsLimitIsReported() {
    assertThat(found(row("mail", Map.of(TaskState.ARCHIVED, 901L), 1)))
        .containsExactly("WARNING archive-near-limit mail");
  }

  @Test
  void aQueueThatCannotBeReadIsListedFirst() {
    RedisSnapshot snapshot =
        new RedisSnapshot(
            NOON,
            null,
            Map.of(
                "a",
                row("a", Map.of(), null, NOON, 1),
                "b",
                new QueueRow("b", null, 1, "WRONGTYPE")),
            List.of(),
            List.of(),
            Map.of(),
            Map.of());

    assertThat(AttentionItem.find(snapshot, Grant.of(Role.VIEWER), ARCHIVE))
        .extracting(AttentionItem::kind)
        .containsExactly("queue-unreadable", "queue-paused");
    assertThat(AttentionItem.find(snapshot, new Grant(Role.VIEWER, List.of("a")), ARCHIVE))
        .extracting(AttentionItem::kind)
        .containsExactly("queue-paused");
  }

  private static List<String> found(
      @Nullable Instant next, @Nullable Instant pausedSince, boolean isLive) {
    ScheduleSnapshot schedule =
        ScheduleSnapshot.builder("nightly", "0 3 * * *")
            .taskType("report")
            .next(next)
            .pausedSince(pausedSince)
            .isLive(isLive)
            .isRemembered(true)
            .build();
    RedisSnapshot snapshot =
        new RedisSnapshot(NOON, null, Map.of(), List.of(), List.of(schedule), Map.of(), Map.of());
    return AttentionItem.find(snapshot, Grant.of(Role.VIEWER), ARCHIVE).stream()
        .map(each -> each.kind() + " " + each.schedule())
        .toList();
  }

  @Test
  void aScheduleThatEnqueuesNothingIsReported() {
    assertThat(found(NOON.minusSeconds(130), null, true))
        .containsExactly("schedule-stalled nightly");
    assertThat(found(null, null, false)).containsExactly("no-scheduler nightly");
    assertThat(found(NOON.minusSeconds(60), null, true)).isEmpty();
    assertThat(found(NOON.minusSeconds(130), NOON, true)).isEmpty();
    assertThat(found(null, NOON, false)).isEmpty();
  }

  @Test
  void aRedisThatMayLoseTasksIsReported() {
    QueueRow fine = row("mail", Map.of(), 1);

    assertThat(
            found(
                fine,
                Map.of(),
                Map.of(
                    "maxmemory", "1000", "used_memory", "950", "maxmemory_policy", "allkeys-lru")))
        .containsExactly("ERROR eviction-policy null", "WARNING memory-near-limit null");
    assertThat(found(fine, Map.of(), Map.of("maxmemory", "0", "maxmemory_policy", "allkeys-lru")))
        .isEmpty();
    assertThat(
            found(
                fine,
                Map.of(),
                Map.of("maxmemory", "1000", "used_memory", "9", "maxmemory_policy", "noeviction")))
        .isEmpty();
  }
}
