package io.asynq4j.cli.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.cli.testing.CliRunner.Answer;
import io.asynq4j.cli.testing.TestDatabase;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.server.TaskServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskEnqueueCommandIT {

  @TempDir private Path home;
  private final TestDatabase database = new TestDatabase();

  @AfterEach
  void close() {
    database.close();
  }

  private Answer run(String... arguments) {
    return database.cli(home).run(arguments);
  }

  @Test
  void aTaskTakesAllOptions() {
    Answer answer =
        run(
            "task",
            "enqueue",
            "-t",
            "email:welcome",
            "-l",
            "{\"user\": 42}",
            "-q",
            "mail",
            "-i",
            "w",
            "--retry",
            "3",
            "--timeout",
            "90s",
            "--deadline",
            "2099-01-31T08:00:00Z",
            "--unique",
            "1h",
            "--process_in",
            "10m",
            "--retention",
            "24h",
            "-H",
            "tenant=acme");

    assertThat(answer.exitCode()).isZero();
    assertThat(answer.out()).matches("Enqueued task w to queue mail, due in (10m|9m59s)\\.\n");
    TaskInfo task = database.inspector().queue("mail").task("w");
    assertThat(task.maxRetry()).isEqualTo(3);
    assertThat(task.timeout()).isEqualTo(Duration.ofSeconds(90));
    assertThat(task.deadline()).isEqualTo(Instant.parse("2099-01-31T08:00:00Z"));
    assertThat(task.retention()).isEqualTo(Duration.ofHours(24));
    assertThat(task.headers()).containsEntry("tenant", "acme");
    assertThat(task.uniqueKey()).isNotEmpty();
    assertThat(task.state()).isEqualTo(TaskState.SCHEDULED);
  }

  @Test
  void aPayloadIsReadFromAFileOrTheStandardInputOrIsEmpty() throws Exception {
    Path file = Files.writeString(home.resolve("p.json"), "{\"from\": \"file\"}");
    run("task", "enqueue", "-t", "a", "--payload", "@" + file, "--id", "file");
    database.cli(home).input("piped").run("task", "enqueue", "-t", "a", "-l", "-", "--id", "input");
    run("task", "enqueue", "-t", "a", "--id", "none");
    run("task", "enqueue", "-t", "a", "--payload", "@@home", "--id", "at");

    assertThat(payload("file")).isEqualTo("{\"from\": \"file\"}");
    assertThat(payload("input")).isEqualTo("piped");
    assertThat(payload("none")).isEmpty();
    assertThat(payload("at")).isEqualTo("@home");
  }

  private String payload(String id) {
    return database.inspector().queue("default").task(id).payload().utf8();
  }

  @Test
  void jsonContainsTheId() {
    assertThat(run("task", "enqueue", "-t", "a", "-i", "x", "--group", "g", "--json").out())
        .contains("\"id\": \"x\"", "\"state\": \"aggregating\"");
  }

  @Test
  void existingIdsAreRefusedWithAReason() {
    run("task", "enqueue", "-t", "a", "-l", "{}", "--unique", "1h", "-i", "x");

    Answer duplicate = run("task", "enqueue", "-t", "a", "-l", "{}", "--unique", "1h");
    Answer conflict = run("task", "enqueue", "-t", "b", "-i", "x");

    assertThat(duplicate.exitCode()).isEqualTo(1);
    assertThat(duplicate.err()).startsWith("asynq: ").doesNotContain("at io.asynq4j");
    assertThat(conflict.exitCode()).isEqualTo(1);
  }

  @Test
  void badValuesAreUsageErrors() {
    assertThat(run("task", "enqueue").err()).contains("Missing option --type");
    assertThat(run("task", "enqueue", "-t", "a", "--timeout", "0s").exitCode()).isEqualTo(2);
    assertThat(run("task", "enqueue", "-t", "a", "--in", "1h", "--at", "2099-01-01T00:00").err())
        .contains("not both");
    assertThat(run("task", "enqueue", "-t", "a", "-H", "bare").exitCode()).isEqualTo(2);
    assertThat(run("task", "enqueue", "-t", "a", "--deadline", "tomorrow").err())
        .contains("2030-01-31T08:00:00Z");
    assertThat(run("task", "enqueue", "-t", "a", "--watch").err()).contains("--watch");
    assertThat(database.inspector().queues()).isEmpty();
  }

  private TaskServer server(Handler<Task> handler) {
    TaskServer server = TaskServer.builder(database.redis()).handlers(handler).build();
    server.start();
    return server;
  }

  @Test
  void waitingPrintsTheResultWithoutARetention() {
    try (TaskServer server = server((task, context) -> Outcome.done("the result"))) {
      Answer answer = run("task", "enqueue", "-t", "a", "-i", "x", "--wait", "30s");

      assertThat(answer.exitCode()).as(answer.err()).isZero();
      assertThat(answer.out()).containsPattern("State: +completed").contains("the result");
      assertThat(database.inspector().queue("default").task("x").retention())
          .isEqualTo(Duration.ofHours(1));
      assertThat(server.id()).isNotEmpty();
    }
  }

  @Test
  void waitingForATaskThatIsArchivedFails() {
    try (TaskServer server = server((task, context) -> Outcome.archive("no such user"))) {
      Answer answer = run("task", "enqueue", "-t", "a", "-i", "x", "--wait", "30s", "--json");

      assertThat(answer.exitCode()).isEqualTo(1);
      assertThat(answer.out()).contains("\"state\": \"archived\"");
      assertThat(answer.err())
          .contains("asynq: Task x was archived: no such user", "asynq task run x");
      assertThat(server.id()).isNotEmpty();
    }
  }

  @Test
  void linesOfAFileAreEnqueuedInBatches() throws Exception {
    Path file =
        Files.writeString(
            home.resolve("tasks.jsonl"),
            IntStream.range(0, 1_200)
                .mapToObj(i -> "{\"id\": \"t%d\", \"payload\": {\"n\": %d}}".formatted(i, i))
                .collect(Collectors.joining("\n")));

    Answer answer = run("task", "enqueue", "--from", file.toString(), "-t", "bulk", "-q", "mail");

    assertThat(answer.exitCode()).isZero();
    assertThat(answer.out()).isEqualTo("1,200 tasks enqueued.\n");
    assertThat(database.inspector().queue("mail").snapshot().size(TaskState.PENDING))
        .isEqualTo(1_200);
    assertThat(database.inspector().queue("mail").task("t7").payload().utf8())
        .isEqualTo("{\"n\":7}");
    assertThat(run("task", "enqueue", "--from", file.toString(), "-t", "bulk", "-q", "mail").out())
        .isEqualTo("0 tasks enqueued, 1,200 already existed.\n");
  }

  @Test
  void linesHaveTheirOwnOptionsAndInvalidLinesAreReported() {
    Answer answer =
        database
            .cli(home)
            .input(
                """
                {"type": "a", "id": "one", "queue": "x", "retry": 2, "process_in": "1h", "headers": {"h": "v"}}
                {"type": "a", "id": "two", "payload_text": "plain"}

                {"type": "a", "id": "three", "payload_base64": "AAEC"}
                {"type": "a", "tipe": "b"}
                {"payload": 1}
                nonsense
                """)
            .run("task", "enqueue", "--from", "-", "--json");

    assertThat(answer.exitCode()).isEqualTo(1);
    assertThat(answer.out()).contains("\"enqueued\": 3", "\"failed\": 3");
    assertThat(answer.err())
        .contains(
            "line 5: unknown key \"tipe\"", "line 6: \"type\" is missing", "line 7: invalid JSON");
    assertThat(database.inspector().queue("x").task("one").maxRetry()).isEqualTo(2);
    assertThat(payload("two")).isEqualTo("plain");
    assertThat(database.inspector().queue("default").task("three").payload().bytes())
        .containsExactly(0, 1, 2);
    assertThat(run("task", "enqueue", "--from", "nosuch.jsonl").exitCode()).isEqualTo(2);
  }
}
