package io.asynq4j.faults;

import static io.asynq4j.server.ServerFixture.Q;
import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.server.ServerFixture;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A process that runs out of threads or memory for seconds recovers by itself. */
class ProcessExhaustionIT {

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  /** A process of {@link ProcessExhaustionMain}. */
  private static final class Child implements AutoCloseable {
    private final Path log = Files.createTempFile("asynq4j-shortage", ".log");
    private final Process process;
    private final BufferedReader out;
    private final PrintStream in;

    Child(String... options) throws IOException {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
      command.addAll(List.of(options));
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      command.add(ProcessExhaustionMain.class.getName());
      command.add(world.server.uri());
      process = new ProcessBuilder(command).redirectError(log.toFile()).start();
      out = process.inputReader(StandardCharsets.UTF_8);
      in = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
      // A process that hangs is killed at the end of the test.
      CompletableFuture.delayedExecutor(240, TimeUnit.SECONDS).execute(process::destroyForcibly);
      answer("ready");
    }

    /** Its logged errors, without stack traces. */
    String errors() {
      try (Stream<String> lines = Files.lines(log, StandardCharsets.UTF_8)) {
        return lines
            .filter(line -> line.contains(" ERROR ") || line.contains("Error"))
            .limit(100)
            .collect(Collectors.joining("\n"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Skips what the JVM itself prints about threads that it cannot start. */
    private String answer(String start) throws IOException {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (line.startsWith(start)) {
          return line;
        }
      }
      throw new AssertionError("the process has ended");
    }

    String request(String command, String start) throws IOException {
      in.println(command);
      return answer(start);
    }

    /** The accepted IDs; all futures are complete. */
    List<String> accepted(String prefix) throws IOException {
      List<String> ids =
          Arrays.stream(request("accepted " + prefix, "accepted:").substring(9).split(" ", -1))
              .filter(id -> !id.isEmpty())
              .toList();
      assertThat(ids).as("futures without an answer").doesNotContain("open");
      return ids;
    }

    @Override
    public void close() {
      process.destroyForcibly();
      try {
        process.waitFor(30, TimeUnit.SECONDS);
        Files.deleteIfExists(log);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static void awaitCompleted(Child child, List<String> ids) {
    soon(
        () ->
            assertThat(ids)
                .as(child::errors)
                .allMatch(id -> world.state(id) == TaskState.COMPLETED));
    soon(
        () -> {
          QueueSnapshot stats = world.queues().snapshot(Q);
          assertThat(stats.processed() - stats.failed())
              .as("settlements as completed")
              .isEqualTo(stats.sizes().get(TaskState.COMPLETED));
        });
  }

  @Test
  void aProcessThatCouldNotStartThreadsForSecondsRecovers() throws Exception {
    Child child = new Child();
    Optional<PidsCgroup> made = PidsCgroup.of(child.process);
    if (made.isEmpty()) {
      child.close();
      abort("needs a user that may create a pids control group in /sys/fs/cgroup, such as root");
    }
    // Closed in the reverse order: the group can be deleted when the process has ended.
    try (PidsCgroup group = made.orElseThrow();
        child) {
      group.startNoMore();
      child.request("send during 300", "sent");
      soon(() -> assertThat(group.refused()).isPositive());
      // The shortage lasts for more than a lease.
      Thread.sleep(4_000);
      child.request("send late 50", "sent");
      group.startAny();
      child.request("send after 300", "sent");

      List<String> accepted = new ArrayList<>(child.accepted("during"));
      accepted.addAll(child.accepted("late"));
      List<String> after = child.accepted("after");
      assertThat(after).hasSize(300);
      accepted.addAll(after);
      awaitCompleted(child, accepted);
      assertThat(child.request("runs", "twice:")).isEqualTo("twice:");
    }
  }

  @Test
  void aProcessThatHadNoMemoryForSecondsRecovers() throws Exception {
    try (Child child = new Child("-Xmx48m")) {
      child.request("send before 20", "sent");
      // So that all classes are linked: the JVM never retries after linking failed for lack of
      // memory.
      awaitCompleted(child, child.accepted("before"));

      String released = child.request("hog 5 during 400", "released");

      assertThat(Integer.parseInt(released.substring(9))).as("shortages").isPositive();
      child.request("send after 300", "sent");
      List<String> accepted = new ArrayList<>(child.accepted("during"));
      List<String> after = child.accepted("after");
      assertThat(after).hasSize(300);
      accepted.addAll(after);
      awaitCompleted(child, accepted);
    }
  }
}
