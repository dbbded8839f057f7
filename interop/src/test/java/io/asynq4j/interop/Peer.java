package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import tools.jackson.databind.json.JsonMapper;

/**
 * The program in {@code src/main/go}, built once. It is the real asynq; what it does not do, Go
 * does not do.
 */
final class Peer {

  static final JsonMapper JSON = JsonMapper.builder().build();

  private static final Path SOURCES = Path.of("src", "main", "go");
  private static final Path TARGET = Path.of("target", "go");

  /** Where the modules have to be fetched first, over whatever line there is. */
  private static final Duration FETCHING = Duration.ofMinutes(2);

  /** Without a cache, Go builds its own library too. */
  private static final Duration BUILDING = Duration.ofMinutes(5);

  private static final Duration RUNNING = Duration.ofSeconds(30);

  private final Path program;

  private Peer(Path program) {
    this.program = program;
  }

  /** Skips the test, with the reason, where there is no Go or its modules cannot be had. */
  static Peer orSkip() {
    Built built = Once.BUILT;
    if (built.missing != null) {
      Assumptions.abort("the tests with Go: " + built.missing);
    }
    return new Peer(built.program);
  }

  private static final class Once {
    static final Built BUILT = build();
  }

  /** The program, and why it could not be had; a program that does not compile is an error. */
  private record Built(Path program, @Nullable String missing) {}

  private static Built build() {
    Path program = TARGET.resolve("peer").toAbsolutePath();
    try {
      Files.createDirectories(TARGET);
      Output version = run(List.of("go", "version"), "", RUNNING);
      if (version.exit != 0) {
        return new Built(program, "go does not work: " + version.firstError());
      }
    } catch (IOException e) {
      return new Built(program, "go is not installed");
    }
    try {
      Output download = run(List.of("go", "mod", "download"), "", FETCHING);
      assertThat(download.errors).as("go.sum").doesNotContain("checksum mismatch");
      if (download.exit != 0) {
        return new Built(program, "the Go modules could not be fetched: " + download.firstError());
      }
      Output build =
          run(List.of("go", "build", "-mod=readonly", "-o", program.toString(), "."), "", BUILDING);
      assertThat(build.exit).as("go build: %s", build.errors).isZero();
      return new Built(program, null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private record Output(int exit, String text, String errors) {
    String firstError() {
      return errors.lines().findFirst().orElse("exit code " + exit);
    }
  }

  /** Runs a program to its end. Its output goes through files, which no full pipe can block. */
  private static Output run(List<String> command, String input, Duration most) throws IOException {
    Path in = Files.writeString(Files.createTempFile(TARGET, "run", ".in"), input);
    Path out = Files.createTempFile(TARGET, "run", ".out");
    Path err = Files.createTempFile(TARGET, "run", ".err");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(SOURCES.toFile())
              .redirectInput(in.toFile())
              .redirectOutput(out.toFile())
              .redirectError(err.toFile());
      // Nothing of ours needs C, and without it there is less to build.
      builder.environment().put("CGO_ENABLED", "0");
      Process process = builder.start();
      if (!process.waitFor(most.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return new Output(-1, "", "no answer within " + most.toSeconds() + " s");
      }
      return new Output(
          process.exitValue(),
          Files.readString(out),
          Files.readString(err, StandardCharsets.UTF_8));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      Files.delete(in);
      Files.delete(out);
      Files.delete(err);
    }
  }

  /**
   * A task for Go to enqueue. Times are milliseconds; 0 leaves an option out.
   *
   * @param payload in Base64
   */
  record GoTask(
      String type,
      @Nullable String payload,
      Map<String, String> headers,
      String id,
      String queue,
      String group,
      int maxRetry,
      long timeout,
      long deadline,
      long unique,
      long processIn,
      long retention) {

    /** An absent payload and one of no bytes are two things. */
    Payload bytes() {
      return payload == null ? Payload.absent() : Payload.of(Base64.getDecoder().decode(payload));
    }
  }

  /** What Go answered to a task. */
  record Answer(String id, String verdict) {}

  List<Answer> enqueue(String redis, List<GoTask> tasks) {
    StringBuilder lines = new StringBuilder();
    tasks.forEach(task -> lines.append(JSON.writeValueAsString(task)).append('\n'));
    return call(lines.toString(), Answer.class, List.of("enqueue", "-redis", redis));
  }

  /** Asks Go's inspector; a line of the answer each. */
  <T> List<T> inspect(String redis, Class<T> type, String... question) {
    List<String> arguments = new ArrayList<>(List.of("inspect", "-redis", redis));
    arguments.addAll(List.of(question));
    return call("", type, arguments);
  }

  /** Has Go's inspector do something. */
  void tell(String redis, String... order) {
    inspect(redis, Object.class, order);
  }

  private <T> List<T> call(String input, Class<T> type, List<String> arguments) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(arguments);
    try {
      Output output = run(command, input, RUNNING);
      assertThat(output.exit).as("%s: %s", arguments, output.errors).isZero();
      return output.text.lines().map(line -> JSON.readValue(line, type)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a Go worker, and returns when it works. */
  Worker work(String redis, String queue, String... flags) {
    List<String> command =
        new ArrayList<>(List.of(program.toString(), "work", "-redis", redis, "-queue", queue));
    command.addAll(List.of(flags));
    return Worker.start(command, TARGET.resolve("worker.log"));
  }
}
