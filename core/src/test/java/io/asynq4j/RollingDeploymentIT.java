package io.asynq4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.inspect.DoctorOptions;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A deploy and a roll-back: processes of the version that landed before work beside those of this
 * one on one Redis. {@code ./check --matrix} builds both and says where they are.
 */
@SuppressWarnings("NullAway.Init") // Set before each test.
class RollingDeploymentIT {

  private static final int TASKS = 1_000;
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private enum Version {
    PREVIOUS,
    CURRENT;

    String classPath() {
      return System.getProperty("asynq4j.rolling." + name().toLowerCase(java.util.Locale.ROOT), "");
    }
  }

  @TempDir private Path directory;

  private final List<Process> processes = new ArrayList<>();
  private EmbeddedRedis redis;
  private Path log;

  @BeforeEach
  void start() throws IOException {
    assumeTrue(
        !Version.PREVIOUS.classPath().isEmpty(),
        "a rolling change from the version that landed before: run by ./check --matrix");
    redis = EmbeddedRedis.builder().ephemeral().start();
    log = Files.createFile(directory.resolve("log"));
  }

  @AfterEach
  void stop() {
    processes.forEach(Process::destroyForcibly);
    if (redis != null) { // A test that was skipped has none.
      redis.close();
    }
  }

  private Process start(Version version, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", version.classPath()));
    command.add("Member");
    command.addAll(List.of(arguments));
    File err = directory.resolve("err-" + processes.size()).toFile();
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(err).start();
    processes.add(process);
    return process;
  }

  private Process worker(Version version) throws IOException {
    long ready = lines("ready").size();
    Process worker = start(version, "work", redis.uri(), log.toString());
    await().atMost(PATIENCE).until(() -> lines("ready").size() > ready);
    return worker;
  }

  private Process producer(Version version, String name) throws IOException {
    return start(version, "produce", redis.uri(), log.toString(), name, Integer.toString(TASKS));
  }

  /** As a deploy ends a process: it may finish what it has begun. */
  private static void end(Process worker) throws InterruptedException {
    worker.destroy();
    assertThat(worker.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  private List<String> lines(String beginning) {
    try {
      return Files.readAllLines(log).stream().filter(line -> line.startsWith(beginning)).toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void assertEachTaskOnce(String... names) {
    List<String> expected = new ArrayList<>();
    List<String> expectedFailures = new ArrayList<>();
    for (String name : names) {
      for (int i = 0; i < TASKS; i++) {
        String type = List.of("plain", "later", "fails-once", "in-order", "grouped").get(i % 5);
        expected.add("done " + type + " " + name + "-" + i);
        if (type.equals("fails-once")) {
          expectedFailures.add("failed " + type + " " + name + "-" + i);
        }
      }
    }
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(200))
        .until(() -> lines("done ").size() >= expected.size());
    assertThat(lines("done ")).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(lines("failed ")).containsExactlyInAnyOrderElementsOf(expectedFailures);
    for (String name : names) {
      assertThat(lines("done in-order " + name + "-"))
          .containsExactlyElementsOf(
              IntStream.range(0, TASKS)
                  .filter(i -> i % 5 == 3)
                  .mapToObj(i -> "done in-order " + name + "-" + i)
                  .toList());
    }
  }

  private void assertNothingIsLeft() {
    try (RedisConnection connection = RedisConnection.open(redis.uri())) {
      Inspector inspector = Inspector.create(connection);
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(inspector.queues())
                      .allSatisfy(
                          queue -> assertThat(inspector.queue(queue).snapshot().size()).isZero()));
      assertThat(inspector.doctor(DoctorOptions.dryRun().build()).findings()).isEmpty();
    }
  }

  @Test
  void aDeployAndARollBackLoseAndRepeatNothing() throws Exception {
    Process previous = worker(Version.PREVIOUS);
    Process oldProducer = producer(Version.PREVIOUS, "old");
    Process newProducer = producer(Version.CURRENT, "new");
    await().atMost(PATIENCE).until(() -> lines("done ").size() > TASKS / 4);

    Process current = worker(Version.CURRENT);
    await().atMost(PATIENCE).until(() -> lines("done ").size() > TASKS / 2);
    end(previous);
    await().atMost(PATIENCE).until(() -> lines("done ").size() > TASKS);
    Process again = worker(Version.PREVIOUS);
    await().atMost(PATIENCE).until(() -> lines("done ").size() > TASKS + TASKS / 4);
    end(current);

    for (Process producer : List.of(oldProducer, newProducer)) {
      assertThat(producer.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(producer.exitValue()).isZero();
    }
    assertThat(lines("enqueued ")).hasSize(2 * TASKS);
    assertEachTaskOnce("old", "new");
    end(again);
    assertNothingIsLeft();
  }

  @Test
  void whatOneVersionEnqueuesTheOtherRuns() throws Exception {
    for (Version producing : Version.values()) {
      String name = producing == Version.PREVIOUS ? "old" : "new";
      Process producer = producer(producing, name);
      assertThat(producer.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      Process worker = worker(producing == Version.PREVIOUS ? Version.CURRENT : Version.PREVIOUS);
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  lines("done ").stream().filter(line -> line.contains(" " + name)).count()
                      == TASKS);
      end(worker);
    }
    assertEachTaskOnce("old", "new");
    assertNothingIsLeft();
  }
}
