package io.asynq4j.internal.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asynq4j.TaskOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Option texts of schedule entries are those that Go writes and reads. */
class OptionTextCodecTest {

  private static TaskOptions everything() {
    return TaskOptions.builder()
        .queue("email")
        .maxRetry(10)
        .timeout(Duration.ofMinutes(3))
        .deadline(Instant.parse("2020-06-24T00:00:00Z"))
        .uniqueFor(Duration.ofHours(1))
        .processIn(Duration.ofMinutes(10))
        .precise()
        .id("x")
        .retention(Duration.ofDays(1))
        .group("g")
        .header("k", "v")
        .build();
  }

  @Test
  void optionsAreWrittenAsGoWritesThem() {
    assertThat(OptionTextCodec.of(everything(), Map.of()))
        .containsExactly(
            "Queue(\"email\")",
            "MaxRetry(10)",
            "Timeout(3m0s)",
            "Deadline(Wed Jun 24 00:00:00 UTC 2020)",
            "Unique(1h0m0s)",
            "ProcessIn(10m0s)",
            "Precise()",
            "TaskID(\"x\")",
            "Retention(24h0m0s)",
            "Group(\"g\")",
            "Header([\"k\",\"v\"])");
    assertThat(
            OptionTextCodec.of(
                TaskOptions.of(o -> o.processAt(Instant.parse("2024-01-01T00:00:00Z"))), Map.of()))
        .containsExactly("ProcessAt(Mon Jan  1 00:00:00 UTC 2024)");
    assertThat(OptionTextCodec.of(TaskOptions.defaults(), Map.of())).isEmpty();
  }

  @Test
  void fixesW35_everyOptionCanBeReadBack() {
    TaskOptions options = everything();
    TaskOptions later = TaskOptions.of(o -> o.processAt(Instant.parse("2024-01-01T00:00:00Z")));

    assertThat(OptionTextCodec.read(OptionTextCodec.of(options, Map.of())).options())
        .isEqualTo(options);
    assertThat(OptionTextCodec.read(OptionTextCodec.of(later, Map.of())).options())
        .isEqualTo(later);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a(b)c",
        "with \"quotes\" and \\",
        "line\nbreak\ttab\u0007\u000b\u0001",
        "Grüße, 世界 😀",
        "no\u00a0break\u2028\ue000\uDB40\uDC01",
        "<&>"
      })
  void fixesW35_namesWithAnyCharactersCanBeReadBackAlsoByAReaderThatStopsAtTheFirstParenthesis(
      String name) {
    TaskOptions options =
        TaskOptions.of(o -> o.queue(name).id(name).group(name).header(name, name));

    List<String> texts = OptionTextCodec.of(options, Map.of());

    assertThat(OptionTextCodec.read(texts).options()).isEqualTo(options);
    assertThat(texts)
        .allSatisfy(text -> assertThat(text.indexOf(')')).isEqualTo(text.length() - 1));
  }

  @Test
  void charactersAreEscapedAsGoDoesIt() {
    TaskOptions options =
        TaskOptions.of(o -> o.group("a\u0001\u00a0é\uDB40\uDC01").header("<", "&\n"));

    assertThat(OptionTextCodec.of(options, Map.of()))
        .containsExactly(
            "Group(\"a\\x01\\u00a0é\\U000e0001\")", "Header([\"\\u003c\",\"\\u0026\\n\"])");
  }

  @Test
  void fixesW51_headersOfTheTaskAreAmongTheOptionsThatAreShown() {
    TaskOptions options = TaskOptions.of(o -> o.header("b", "option"));

    assertThat(OptionTextCodec.of(options, Map.of("a", "task", "b", "task")))
        .containsExactly("Header([\"a\",\"task\"])", "Header([\"b\",\"option\"])");
  }

  @Test
  void unreadableDataIsReportedAndHidesNothingElse() {
    List<String> unreadable =
        List.of(
            "Queue",
            "Queue(\"unfinished)",
            "Queue(\"a\"b)",
            "MaxRetry(many)",
            "MaxRetry(-1)",
            "Timeout(0s)",
            "Unique(500ms)",
            "Deadline(tomorrow)",
            "Header([\"k\"])",
            "Group(\"\\q\")",
            "Group(\"\\xff\")",
            "Surprise(1)",
            ")(",
            "Deadline(Wed Jun 24)",
            "MaxRetry(1)x",
            "Timeout(3 minutes)",
            "Timeout()");
    List<String> texts = new ArrayList<>(unreadable);
    texts.add("Retention(1h0m0s)");

    assertThat(OptionTextCodec.read(texts))
        .isEqualTo(
            new OptionTextCodec.Read(
                TaskOptions.of(o -> o.retention(Duration.ofHours(1))), unreadable));
  }

  @Test
  void aDateOfAnotherZoneIsTheSameInstant() {
    assertThat(
            OptionTextCodec.read(List.of("ProcessAt(Wed Jun 24 00:00:00 CET 2020)"))
                .options()
                .processAt())
        .isEqualTo(Instant.parse("2020-06-23T22:00:00Z"));
  }

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0s",
    "PT0.000000001S, 1ns",
    "PT0.000001S, 1µs",
    "PT0.0000015S, 1.5µs",
    "PT0.3S, 300ms",
    "PT0.0015S, 1.5ms",
    "PT1S, 1s",
    "PT1.5S, 1.5s",
    "PT90S, 1m30s",
    "PT30M, 30m0s",
    "PT1H, 1h0m0s",
    "PT24H, 24h0m0s",
    "PT1H0.25S, 1h0m0.25s",
    "PT-90S, -1m30s"
  })
  void durationsAreWrittenAndReadAsGoDoes(Duration duration, String text) {
    assertThat(GoDuration.format(duration)).isEqualTo(text);
    assertThat(GoDuration.parse(text)).isEqualTo(duration);
  }

  @ParameterizedTest
  @CsvSource({
    "1.5h, PT1H30M",
    ".5s, PT0.5S",
    "2.s, PT2S",
    "+5s, PT5S",
    "0, PT0S",
    "100us, PT0.0001S",
    "1h1h, PT2H"
  })
  void otherFormsAreReadToo(String text, Duration duration) {
    assertThat(GoDuration.parse(text)).isEqualTo(duration);
  }

  @Test
  @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aLongRunOfDigitsIsRejectedInLinearTime() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GoDuration.parse("1".repeat(20_000)))
        .withMessageContaining("not a duration");
  }
}
