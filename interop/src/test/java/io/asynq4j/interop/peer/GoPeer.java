package io.asynq4j.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/**
 * The program in {@code src/main/go}, on one Redis. It is the real asynq; what it does not do, Go
 * does not do.
 */
public final class GoPeer {

  static final JsonMapper JSON = JsonMapper.builder().build();

  private static final Duration RUNNING = Duration.ofMinutes(1);

  private final Path program;
  private final String redis;

  public GoPeer(Path program, String redis) {
    this.program = program;
    this.redis = redis;
  }

  /**
   * What Go answered to a task.
   *
   * @param status enqueued, duplicate or conflict
   */
  public record Answer(String id, String status) {}

  public List<Answer> enqueue(List<GoTask> tasks) {
    return call(lines(tasks), Answer.class, List.of("enqueue", "-redis", redis));
  }

  /** All in one call of asynq. */
  public List<Answer> enqueueTogether(List<GoTask> tasks) {
    return call(lines(tasks), Answer.class, List.of("enqueue", "-redis", redis, "-batch"));
  }

  private static String lines(List<?> values) {
    return values.stream()
        .map(value -> JSON.writeValueAsString(value) + "\n")
        .collect(Collectors.joining());
  }

  /** The asynq in it. */
  public String version() {
    return call("", String.class, List.of("version")).get(0);
  }

  /** Asks Go's inspector; a line of the answer each. */
  public <T> List<T> inspect(Class<T> type, String... question) {
    List<String> arguments = new ArrayList<>(List.of("inspect", "-redis", redis));
    arguments.addAll(List.of(question));
    return call("", type, arguments);
  }

  private <T> List<T> call(String input, Class<T> type, List<String> arguments) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(arguments);
    try {
      GoPrograms.Output output = GoPrograms.run(GoPrograms.TARGET, command, input, RUNNING);
      assertThat(output.exit()).as("%s: %s", arguments, output.errors()).isZero();
      return output.text().lines().map(line -> JSON.readValue(line, type)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a Go worker, and returns when it works. */
  public WorkerProcess work(String queues, String... flags) {
    List<String> command =
        new ArrayList<>(List.of(program.toString(), "work", "-redis", redis, "-queue", queues));
    command.addAll(List.of(flags));
    return WorkerProcess.start(command, "", GoPrograms.TARGET.resolve("worker.log"));
  }

  /** When to enqueue what. */
  public record Entry(String spec, GoTask task) {}

  /** Starts a Go scheduler, and returns when it works. */
  public WorkerProcess schedule(List<Entry> entries) {
    return WorkerProcess.start(
        List.of(program.toString(), "schedule", "-redis", redis),
        lines(entries),
        GoPrograms.TARGET.resolve("scheduler.log"));
  }

  /** How a member of a fleet is started. */
  public List<String> fleetCommand(String queues) {
    return List.of(program.toString(), "fleet", "-redis", redis, "-queue", queues);
  }
}
