package io.asynq4j.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionTextsTest {

  @Test
  void i42_everyOptionIsReadBack() {
    OptionTexts.Read read =
        OptionTexts.read(
            List.of(
                "MaxRetry(10)",
                "Queue(\"email\")",
                "Timeout(3m0s)",
                "Deadline(Wed Jun 24 00:00:00 UTC 2020)",
                "Unique(1h0m0s)",
                "ProcessIn(10m0s)",
                "Retention(24h0m0s)",
                "Header([\"k\",\"v\\u003c\"])"));

    assertThat(read.unread()).isEmpty();
    assertThat(read.options())
        .isEqualTo(
            TaskOptions.of(
                o ->
                    o.maxRetry(10)
                        .queue("email")
                        .timeout(Duration.ofMinutes(3))
                        .deadline(Instant.parse("2020-06-24T00:00:00Z"))
                        .uniqueFor(Duration.ofHours(1))
                        .processIn(Duration.ofMinutes(10))
                        .retention(Duration.ofDays(1))
                        .header("k", "v<")));
    assertThat(OptionTexts.read(List.of("ProcessAt(Mon Jan  1 00:00:00 UTC 2024)")).options())
        .isEqualTo(TaskOptions.of(o -> o.processAt(Instant.parse("2024-01-01T00:00:00Z"))));
  }

  @Test
  void fixesW35_whatTheOriginalCannotReadBackIs() {
    OptionTexts.Read read =
        OptionTexts.read(
            List.of("TaskID(\"a (b) \\\"c\\\"\")", "Group(\"g\\\\1\")", "Queue(\"(q)\")"));

    assertThat(read.unread()).isEmpty();
    assertThat(read.options())
        .isEqualTo(TaskOptions.of(o -> o.id("a (b) \"c\"").group("g\\1").queue("(q)")));
  }

  @ParameterizedTest
  @CsvSource({
    "1h0m0s, PT1H",
    "1m30s, PT1M30S",
    "1.5s, PT1.5S",
    "500ms, PT0.5S",
    "1.5ms, PT0.0015S",
    "24h0m0s, PT24H",
    "2562047h47m16.854775807s, PT2562047H47M16.854775807S"
  })
  void durationsAreReadAsGoWritesThem(String text, Duration duration) {
    assertThat(OptionTexts.read(List.of("Timeout(" + text + ")")).options().timeout())
        .isEqualTo(duration);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Colour(\"red\")",
        "MaxRetry",
        "MaxRetry(many)",
        "MaxRetry(-1)x",
        "Queue(email)",
        "Timeout(3 minutes)",
        "Timeout()",
        "Deadline(yesterday)",
        "Header([\"k\"])"
      })
  void whatCannotBeReadIsToldAndHidesNothingElse(String text) {
    OptionTexts.Read read = OptionTexts.read(List.of(text, "MaxRetry(3)"));

    assertThat(read.unread()).containsExactly(text);
    assertThat(read.options()).isEqualTo(TaskOptions.of(o -> o.maxRetry(3)));
  }

  @Test
  void whatContradictsItselfIsToldAsUnread() {
    List<String> texts =
        List.of("ProcessIn(1s)", "ProcessAt(Mon Jan  1 00:00:00 UTC 2024)", "MaxRetry(3)");

    assertThat(OptionTexts.read(texts))
        .isEqualTo(new OptionTexts.Read(TaskOptions.defaults(), texts));
  }
}
