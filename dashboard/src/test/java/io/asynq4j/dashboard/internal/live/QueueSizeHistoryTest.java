package io.asynq4j.dashboard.internal.live;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskState;
import io.asynq4j.http.JsonFields;
import io.asynq4j.inspect.QueueSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class QueueSizeHistoryTest {

  private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");

  private final QueueSizeHistory levels = new QueueSizeHistory();

  private static QueueRow queue(String name, long second, long pending, long latency) {
    Instant at = NOON.plusSeconds(second);
    return new QueueRow(
        name,
        QueueSnapshot.builder(name, at)
            .sizes(Map.of(TaskState.PENDING, pending))
            .oldestPendingSince(latency == 0 ? null : at.minusSeconds(latency))
            .build(),
        1,
        null);
  }

  private void add(long second, QueueRow... rows) {
    levels.add(NOON.plusSeconds(second), Arrays.asList(rows), 8, 3);
  }

  /** Second, pending and latency of each point. */
  private static List<String> seen(List<JsonFields> points) {
    return points.stream()
        .map(
            point ->
                second(requireNonNull(point.map().get("at")))
                    + ": "
                    + ((Map<?, ?>) requireNonNull(point.map().get("sizes"))).get("pending")
                    + " "
                    + point.map().get("latencyMs"))
        .toList();
  }

  private static long second(Object at) {
    return ((Instant) at).getEpochSecond() - NOON.getEpochSecond();
  }

  @Test
  void theLastSnapshotOfAnIntervalCounts() {
    add(0, queue("mail", 0, 5, 0));
    add(28, queue("mail", 28, 7, 2));
    add(31, queue("mail", 31, 3, 1));

    assertThat(seen(levels.points("mail"::equals))).containsExactly("28: 7 2000", "31: 3 1000");
    assertThat(seen(levels.points())).containsExactly("28: 7 2000", "31: 3 1000");
  }

  @Test
  void queuesAreSummedUpWithTheMaximumLatency() {
    add(0, queue("a", 0, 5, 9), queue("b", 0, 6, 2), queue("c", 0, 100, 50));

    assertThat(seen(levels.points(name -> !name.equals("c")))).containsExactly("0: 11 9000");
    assertThat(seen(levels.points())).containsExactly("0: 111 50000");
    assertThat(levels.points().get(0).map())
        .containsEntry("workers", 8)
        .containsEntry("busyWorkers", 3);
    assertThat(levels.points("a"::equals).get(0).map()).doesNotContainKey("workers");
  }

  @Test
  void anIntervalWithoutSnapshotHasNoPoint() {
    add(0, queue("mail", 0, 5, 0));
    add(120, queue("mail", 120, 1, 0));

    assertThat(seen(levels.points("mail"::equals))).containsExactly("0: 5 0", "120: 1 0");
  }

  @Test
  void keepsAnHour() {
    for (int second = 0; second < 2 * 3_600; second += 30) {
      add(second, queue("mail", second, second, 0));
    }

    assertThat(seen(levels.points("mail"::equals)))
        .hasSize(120)
        .startsWith("3600: 3600 0")
        .endsWith("7170: 7170 0");
    assertThat(seen(levels.points())).isEqualTo(seen(levels.points("mail"::equals)));
  }

  @Test
  void aRemovedQueueIsForgottenAfterAnHour() {
    add(0, queue("old", 0, 5, 0));
    for (int second = 30; second <= 3_600; second += 30) {
      assertThat(levels.rows()).as("after " + second).isEqualTo(1);
      add(second);
    }

    assertThat(levels.rows()).isZero();
    assertThat(seen(levels.points("old"::equals))).hasSize(120).allMatch(p -> p.endsWith(": 0 0"));
  }

  @Test
  void tenThousandQueuesTakeLimitedMemoryAndIdleQueuesNone() {
    List<QueueRow> many = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      many.add(queue("busy-" + i, 0, 1, 1));
      many.add(queue("idle-" + i, 0, 0, 0));
    }
    add(0, many.toArray(QueueRow[]::new));
    assertThat(levels.rows()).isEqualTo(20_000);

    QueueSizeHistory few = new QueueSizeHistory(/* maxSeries= */ 100);
    few.add(NOON, many, 0, 0);

    assertThat(few.rows()).isEqualTo(100);
    assertThat(seen(few.points())).containsExactly("0: 10000 1000");
    assertThat(seen(few.points(name -> true))).containsExactly("0: 50 1000");
  }

  @Test
  void aClockThatGoesBackChangesNothing() {
    add(60, queue("mail", 60, 5, 0));
    add(0, queue("mail", 0, 9, 0));

    assertThat(seen(levels.points())).containsExactly("60: 5 0");
  }
}
