package io.asynq4j.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.benchmarks.harness.CommandCounter;
import io.asynq4j.benchmarks.harness.LatencyRecorder;
import io.asynq4j.benchmarks.report.Threshold;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** The tools that measure and report are correct. */
class MeasuringToolsTest {

  @Test
  void commandsAreCountedInPiecesOfAnySize() {
    byte[] sent =
        "*1\r\n$4\r\nPING\r\n*2\r\n$3\r\nGET\r\n$9\r\n*1\r\n$4\r\nP\r\n*1\r\n$4\r\nTIME\r\n"
            .getBytes(StandardCharsets.UTF_8);
    for (int piece = 1; piece <= sent.length; piece++) {
      LongAdder commands = new LongAdder();
      CommandCounter counter = new CommandCounter(commands);
      for (int from = 0; from < sent.length; from += piece) {
        byte[] part = Arrays.copyOfRange(sent, from, Math.min(from + piece, sent.length));
        counter.feed(part, part.length);
      }
      assertThat(commands.sum()).as("in pieces of %d", piece).isEqualTo(3);
    }
  }

  @Test
  void percentilesAreThoseOfTheSamples() {
    LatencyRecorder latencies = new LatencyRecorder();
    for (int i = 10_000; i > 0; i--) {
      latencies.add(i * 1_000_000L);
    }

    assertThat(latencies.millis(0.5)).isEqualTo(5_000);
    assertThat(latencies.millis(0.99)).isEqualTo(9_900);
    assertThat(latencies.millis(0.999)).isEqualTo(9_990);
    assertThat(latencies.millis(1)).isEqualTo(10_000);
  }

  @Test
  void aBarIsTheMostOrTheLeast() {
    assertThat(Threshold.atMost("late", 2, 1).passed()).isFalse();
    assertThat(Threshold.atMost("late", 1, 1).passed()).isTrue();
    assertThat(Threshold.atLeast("fast", 2, 1).passed()).isTrue();
    assertThat(Threshold.atLeast("fast", 0.5, 1)).hasToString("FAIL fast: 0.50 of at least 1.00");
  }

  @Test
  void aCommandIsShownWithoutThePasswordsInItsUrls() {
    assertThat(
            LoadBenchmark.withoutPasswords(
                "drain --redis redis-sentinel://u:one@h/0?master=m&password=two&trustStorePassword=three --quick"))
        .isEqualTo(
            "drain --redis redis-sentinel://***@h/0?master=m&password=***&trustStorePassword=*** --quick");
  }
}
