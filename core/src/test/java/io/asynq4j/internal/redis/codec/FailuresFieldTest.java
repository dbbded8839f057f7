package io.asynq4j.internal.redis.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskInfo.FailedAttempt;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class FailuresFieldTest {

  private static final Instant NOON = Instant.parse("2100-01-01T12:00:00.123Z");

  private static byte[] field(FailedAttempt... failures) {
    ByteArrayOutputStream field = new ByteArrayOutputStream();
    for (FailedAttempt failure : failures) {
      byte[] encoded = FailuresField.encode(failure);
      field.write(encoded.length >> 8);
      field.write(encoded.length);
      field.writeBytes(encoded);
    }
    return field.toByteArray();
  }

  @Test
  void failuresAreReadBackInTheirOrder() {
    FailedAttempt one =
        new FailedAttempt(NOON, "broken", "Broken: für immer\n\tat a.B.c(B.java:1)");
    FailedAttempt two = new FailedAttempt(NOON.plusSeconds(60), "again", "");

    assertThat(FailuresField.decode(field(one, two))).containsExactly(one, two);
    assertThat(FailuresField.decode(new byte[0])).isEmpty();
  }

  @Test
  void whatIsTooLongIsShortened() {
    FailedAttempt failure =
        FailuresField.decode(field(new FailedAttempt(NOON, "e".repeat(9_000), "世".repeat(99_000))))
            .get(0);

    assertThat(failure.error()).hasSize(501).endsWith("…");
    assertThat(failure.trace()).hasSize(4_001).endsWith("…");
  }

  @Test
  void whatSeparatesTheirPartsCannotBeInThem() {
    assertThat(FailuresField.decode(field(new FailedAttempt(NOON, "a\0b", "c\0d\ud800"))))
        .containsExactly(new FailedAttempt(NOON, "a b", "c d?"));
  }

  @Test
  void whatCannotBeReadIsLeftOut() {
    byte[] whole = field(new FailedAttempt(NOON, "a", "b"));

    assertThat(FailuresField.decode(Arrays.copyOf(whole, whole.length - 1))).isEmpty();
    assertThat(FailuresField.decode(new byte[] {0, 3, 1, 2, 3})).isEmpty();
    assertThat(FailuresField.decode(new byte[] {0})).isEmpty();
  }
}
