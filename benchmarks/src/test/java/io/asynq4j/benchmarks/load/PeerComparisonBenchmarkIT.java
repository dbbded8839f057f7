package io.asynq4j.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.benchmarks.compare.ComparisonResults;
import io.asynq4j.benchmarks.compare.ConcurrentComparison;
import io.asynq4j.benchmarks.compare.SequentialComparison;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The comparison runs; the results are not checked. */
class PeerComparisonBenchmarkIT {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine bench = Bench.commandLine();
    bench.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return bench.execute(
        Stream.concat(Stream.of("compare", "--quick", "--json"), Stream.of(arguments))
            .toArray(String[]::new));
  }

  private JsonNode json() {
    return JsonMapper.builder().build().readTree(out.toString());
  }

  private static final String OWN = "asynq4j-" + Runtime.version().feature();

  private static void requireFigures(JsonNode found, String... topics) {
    for (String topic : topics) {
      assertThat(found.get(topic)).as(topic).isNotNull();
      for (String contender : List.of("go", OWN)) {
        assertThat(found.get(topic).get(contender).asDouble(-1))
            .as(topic + ", " + contender)
            .isNotNegative();
      }
    }
  }

  @Test
  void ratesAreMeasuredForGoAndJavaAlsoWithAddedLatency() throws IOException {
    assertThat(run("--peers", "go", "--only", "drain,enqueue", "--delays", "0,1"))
        .as(err.toString())
        .isZero();
    JsonNode found = json();
    assumeGo(found);

    for (String later : List.of("", ", 1 ms")) {
      for (int concurrency : List.of(10, 100, 1000)) {
        requireFigures(found, SequentialComparison.drain(concurrency) + later);
      }
      requireFigures(
          found,
          SequentialComparison.ONE + later,
          SequentialComparison.TEN + later,
          SequentialComparison.BATCH + later);
    }
    assertThat(found.get("bars").toString())
        .contains("times Go's", SequentialComparison.drain(1000), SequentialComparison.ONE);
    assertThat(Files.readString(Path.of(found.get("logs").asString(), OWN + "-1ms.log")))
        .contains("> serve compared 1000", "stopped", "took ");
  }

  @Test
  void timesAreMeasuredForGoAndJava() {
    assertThat(
            run("--peers", "go", "--only", "idle-pickup,due,idle-cost,recovery", "--delays", "0"))
        .as(err.toString())
        .isZero();
    JsonNode found = json();
    assumeGo(found);

    requireFigures(
        found,
        SequentialComparison.PICKED_UP,
        SequentialComparison.ON_TIME,
        ConcurrentComparison.IDLE_COMMANDS,
        ConcurrentComparison.IDLE_CPU,
        ConcurrentComparison.RECOVERED);
    assertThat(found.get(ConcurrentComparison.RECOVERED).get(OWN).asDouble())
        .as("with a lease of 3 s; the comparison ends before Go's of 30 s has expired")
        .isLessThan(found.get(ConcurrentComparison.RECOVERED).get("go").asDouble());
  }

  /** Loud: the reason is listed with the skipped tests. */
  private static void assumeGo(JsonNode found) {
    String setUps = found.get("tables").get(2).toString();
    if (setUps.contains("go is not installed") || setUps.contains("go failed")) {
      Assumptions.abort("the comparison with Go: there is no Go, or its modules cannot be had");
    }
  }

  /** They are fetched from their registries for it. */
  @Test
  @EnabledIfSystemProperty(
      named = "asynq4j.full",
      matches = "true",
      disabledReason = "the other peers of the comparison are fetched only in --full")
  void everyAvailablePeerReportsItsVersionAndSetup() {
    assertThat(run("--only", "enqueue", "--delays", "0")).as(err.toString()).isZero();

    for (JsonNode row : json().get("tables").get(2).get("rows")) {
      String how = row.get(1).asString();
      assertThat(how)
          .as(row.get(0).asString())
          .matches("(?s)asynq4j; .*|fsync=.*|left out: .*|.*\\d+\\.\\d+.*; .*")
          .doesNotContain("null");
    }
  }

  @Test
  void anUnknownPeerOrTopicIsRefusedWithTheKnownOnes() {
    assertThat(run("--peers", "celery")).isNotZero();
    assertThat(err.toString()).contains("celery", "bullmq");

    assertThat(run("--only", "dran")).isNotZero();
    assertThat(err.toString()).contains("dran", "idle-pickup");
  }

  @Test
  void scoresAreComparedRoundByRound() {
    ComparisonResults scores = new ComparisonResults();
    ComparisonResults.What rate = new ComparisonResults.What("rate", 0, "tasks/s", true);
    ComparisonResults.What delay = new ComparisonResults.What("delay", 1, "ms", false);
    for (int round = 1; round <= 3; round++) {
      scores.add(rate, "we", ComparisonResults.Score.of(100.0 * round));
      scores.add(rate, "they", ComparisonResults.Score.of(10.0 * round));
      scores.add(delay, "we", ComparisonResults.Score.of(round));
      scores.add(delay, "they", ComparisonResults.Score.of(7));
    }

    assertThat(scores.ratio(rate, "we", "they")).hasValue(10);
    assertThat(scores.ratio(delay, "we", "they")).hasValue(3.5);
    assertThat(scores.median(rate, "we")).isEqualTo(200);
    assertThat(scores.ratio(rate, "we", "nobody")).isEmpty();
    assertThat(delay).hasToString("delay, 1 ms");
  }
}
