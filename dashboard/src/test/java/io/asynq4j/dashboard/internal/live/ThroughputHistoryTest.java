package io.asynq4j.dashboard.internal.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.inspect.QueueSnapshot;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ThroughputHistoryTest {

  private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");

  private final ThroughputHistory history = new ThroughputHistory();

  private void add(long second, long processed, long failed) {
    Instant at = NOON.plusSeconds(second);
    QueueSnapshot seen =
        QueueSnapshot.builder("mail", at).processed(processed).failed(failed).build();
    history.add(at, List.of(new QueueRow("mail", seen, 0, null)));
  }

  private List<String> points() {
    return history.points(queue -> queue.equals("mail")).stream()
        .map(
            point ->
                point.map().get("at")
                    + " "
                    + point.map().get("processed")
                    + " "
                    + point.map().get("failed"))
        .toList();
  }

  @Test
  void countsTheTasksBetweenTwoSnapshotsInTheirInterval() {
    add(0, 100, 10);
    add(2, 103, 10);
    add(9, 104, 11);
    add(12, 110, 11);

    assertThat(points()).containsExactly("2030-01-01T12:00:10Z 4 1", "2030-01-01T12:00:20Z 6 0");
  }

  @Test
  void tasksBeforeTheFirstSnapshotDoNotCount() {
    add(0, 1_000_000, 10);

    assertThat(points()).containsExactly("2030-01-01T12:00:10Z 0 0");
  }

  @Test
  void tasksBeforeAQueueWasReadableDoNotCount() {
    history.add(NOON, List.of(new QueueRow("mail", null, 0, "its server does not respond")));
    add(2, 1_000_000, 10);
    add(3, 1_000_001, 10);

    assertThat(points()).containsExactly("2030-01-01T12:00:10Z 1 0");
  }

  @Test
  void keepsAnHour() {
    add(0, 0, 0);
    add(5, 1, 0);
    add(3_590, 3, 0);
    assertThat(points()).hasSize(360).startsWith("2030-01-01T12:00:10Z 1 0");

    add(7_205, 4, 0);

    assertThat(points()).hasSize(360).endsWith("2030-01-01T14:00:10Z 1 0");
    assertThat(points().stream().filter(point -> !point.endsWith(" 0 0"))).hasSize(1);
  }

  @Test
  void aCounterResetDoesNotCountAsNegative() {
    add(0, 50, 5);
    add(2, 3, 0);

    assertThat(points()).containsExactly("2030-01-01T12:00:10Z 0 0");
  }

  @Test
  void returnsTheRatePerSecondOfTheLastMinute() {
    add(0, 0, 0);
    add(5, 600, 60);
    add(61, 600, 60);

    assertThat(history.perSecond(queue -> true)).containsExactly(10.0, 1.0);
    assertThat(history.perSecond(queue -> false)).containsExactly(0.0, 0.0);
  }
}
