package io.asynq4j.internal.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TaskMessageTest {

  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

  private static Instant deadline(long timeoutSeconds, @Nullable Instant deadline) {
    TaskMessage message =
        new TaskMessage(
            "t",
            Payload.absent(),
            "id",
            QueueName.DEFAULT,
            25,
            0,
            "",
            Duration.ofSeconds(timeoutSeconds),
            deadline,
            "",
            null,
            Duration.ZERO,
            null,
            "",
            Map.of(),
            Payload.absent());
    return message.endOfAttempt(NOW);
  }

  @Test
  void aTimeoutCountsFromNow() {
    assertThat(deadline(60, null)).isEqualTo(NOW.plusSeconds(60));
  }

  @Test
  void aDeadlineAloneHolds() {
    assertThat(deadline(0, NOW.plusSeconds(99))).isEqualTo(NOW.plusSeconds(99));
  }

  @Test
  void ofTimeoutAndDeadlineTheEarlierHolds() {
    assertThat(deadline(60, NOW.plusSeconds(99))).isEqualTo(NOW.plusSeconds(60));
    assertThat(deadline(100, NOW.plusSeconds(99))).isEqualTo(NOW.plusSeconds(99));
    assertThat(deadline(99, NOW.plusSeconds(99))).isEqualTo(NOW.plusSeconds(99));
  }

  @Test
  void withoutEitherItIsHalfAnHour() {
    assertThat(deadline(0, null)).isEqualTo(NOW.plus(Duration.ofMinutes(30)));
  }

  @Test
  void aTimeoutBeyondAllCalendarsIsOneThatNeverComes() {
    assertThat(deadline(Long.MAX_VALUE, null)).isAfter(NOW.plus(Duration.ofDays(30_000)));
    assertThat(deadline(Long.MAX_VALUE, NOW.plusSeconds(5))).isEqualTo(NOW.plusSeconds(5));
  }
}
