package io.asynq4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.embedded.EmbeddedRedis;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every example runs, prints what it promises, and is short. */
@Timeout(120)
class ExamplesIT {

  private static final Path SOURCES = Path.of("src/main/java/io/asynq4j/examples");

  private EmbeddedRedis redis;

  @BeforeEach
  void startRedis() {
    redis = EmbeddedRedis.builder().ephemeral().start();
  }

  @AfterEach
  void stopRedis() {
    redis.close();
  }

  /** An example that is run as a program is. */
  private interface Program {
    void run(String[] arguments) throws Exception;
  }

  private List<String> output(Program program) throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      program.run(new String[] {redis.uri()});
    } finally {
      System.setOut(before);
    }
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void quickstart() throws Exception {
    assertThat(output(Quickstart::main)).containsExactly("Hello, world!");
  }

  @Test
  void typedHandlers() throws Exception {
    assertThat(output(TypedHandlers::main))
        .containsExactly("shop:order -> Done", "result: {\"item\":\"tea\",\"price\":6}");
  }

  @Test
  void retriesAndSnooze() throws Exception {
    assertThat(output(RetriesAndSnooze::main))
        .containsExactly("first attempt: fails", "retry 1: not yet", "retry 1: done");
  }

  @Test
  void uniqueTasks() throws Exception {
    assertThat(output(UniqueTasks::main))
        .containsExactly("May waits already: true", "June is enqueued: true");
  }

  @Test
  void groups() throws Exception {
    assertThat(output(TaskGroups::main))
        .containsExactly("one mail: Ann joined, Ben left, Cem wrote");
  }

  @Test
  void orderedQueue() throws Exception {
    assertThat(output(OrderedQueue::main))
        .containsExactly(
            "step 1", "step 2", "step 3 fails, and the others wait", "step 3", "step 4", "step 5");
  }

  @Test
  void periodic() throws Exception {
    assertThat(output(PeriodicTasks::main)).startsWith("tick", "tick").containsOnly("tick");
  }

  @Test
  void gracefulShutdown() throws Exception {
    assertThat(output(GracefulShutdown::main))
        .containsExactly("quiet, and 1 task still runs", "the work is done", "closed: true");
  }

  @Test
  void inspect() throws Exception {
    assertThat(output(InspectQueues::main))
        .containsExactly(
            "3 wait",
            "because: QueuePaused",
            "because: NoServer",
            "dry run: 2",
            "moved: 2, failed: 0",
            "left: 1");
  }

  static Stream<Path> sources() throws IOException {
    try (Stream<Path> all = Files.list(SOURCES)) {
      return all.toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("sources")
  void anExampleIsShort(Path source) throws IOException {
    assertThat(Files.readAllLines(source)).hasSizeLessThan(60);
  }
}
