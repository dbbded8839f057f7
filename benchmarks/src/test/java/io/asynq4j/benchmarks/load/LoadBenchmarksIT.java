package io.asynq4j.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.embedded.EmbeddedRedis;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The programs measure; the results are not checked. */
class LoadBenchmarksIT {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine bench = Bench.commandLine();
    bench.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return bench.execute(arguments);
  }

  private JsonNode json() {
    return JsonMapper.builder().build().readTree(out.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "drain, tasksPerSecond, 6",
    "steady, startP99MillisAt500, 0",
    "idle-pickup, p99Millis, 2",
    "due, p99MillisPrecise, 2",
    "enqueue, tasksPerSecond, 4",
    "retry-storm, tasksPerSecond, 0",
    "queues, oneBusyOfOneQueue, 2",
    "idle-cost, commandsPerSecondWith1000, 3",
    "fleet, commandsPerSecondWith5Due, 0",
    "latency, tasksPerSecondWith2Millis, 1",
    "search, tasksPerSecond, 2",
    "service, tasksPerSecond, 1",
    "test-kit, firstRatio, 2"
  })
  void everyProgramFindsItsFigures(String program, String figure, int bars) {
    requireFigures(program, figure, bars);
  }

  private JsonNode requireFigures(String program, String figure, int bars) {
    assertThat(run(program, "--quick", "--json")).as(err.toString()).isZero();

    JsonNode found = json();
    assertThat(found.get("program").asString()).isEqualTo(program);
    assertThat(found.get(figure).asDouble()).as(figure).isPositive();
    assertThat(found.get("tables").get(0).get("rows").size()).isPositive();
    // The one for virtual threads only where a JDK has them.
    assertThat(found.get("bars").size()).isBetween(bars, program.equals("enqueue") ? 5 : bars);
    return found;
  }

  @Test
  void recoveryFindsItsFiguresAndLosesNothing() {
    JsonNode found = requireFigures("recovery", "secondsToRecover", 3);

    assertThat(found.get("lost").asInt()).isZero();
    assertThat(found.get("retriesConsumed").asInt()).isZero();
  }

  @Test
  void theFootprintIsATableThatCanBeWrittenIntoADocument(@TempDir Path directory)
      throws IOException {
    Path page = directory.resolve("page.md");
    Files.writeString(page, "<!-- footprint -->\n<!-- /footprint -->\n");

    assertThat(run("footprint", "--quick", "--into", page.toString())).as(err.toString()).isZero();

    assertThat(out.toString()).contains("heap bytes per running task", "| 50 | 1,000 |");
    assertThat(page).content().contains(out.toString().strip(), "./asynq bench footprint --quick");
  }

  @Test
  void anExistingRedisIsMeasuredWithCustomSizes() {
    try (EmbeddedRedis redis = EmbeddedRedis.start()) {
      assertThat(
              run(
                  "drain",
                  "--tasks",
                  "500",
                  "--concurrency",
                  "20",
                  "--json",
                  "--redis",
                  redis.uri()))
          .as(err.toString())
          .isZero();
    }

    assertThat(json().get("concurrency").asInt()).isEqualTo(20);
    assertThat(json().get("tasksPerSecond").asDouble()).isPositive();
    assertThat(json().get("tables").size()).as("AOF needs a Redis that is ours").isEqualTo(1);
  }

  @Test
  void anUnknownProgramIsRefusedWithTheKnownOnes() {
    assertThat(run("drian")).isEqualTo(2);
    assertThat(err.toString()).contains("drian", "drain");
  }

  @Test
  void everyProgramIsInTheHelp() {
    Map<String, CommandLine> programs = Bench.commandLine().getSubcommands();

    assertThat(programs.keySet())
        .isEqualTo(
            Set.of(
                "drain",
                "steady",
                "idle-pickup",
                "due",
                "enqueue",
                "retry-storm",
                "queues",
                "idle-cost",
                "fleet",
                "recovery",
                "footprint",
                "latency",
                "service",
                "search",
                "test-kit",
                "compare"));
  }
}
