package io.asynq4j.cli.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.cli.output.JsonReader;
import io.asynq4j.cli.testing.CliRunner.Answer;
import io.asynq4j.cli.testing.TestDatabase;
import io.asynq4j.handler.Mux;
import io.asynq4j.server.TaskServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TaskCommandsIT {

  @TempDir private Path home;
  private final TestDatabase database = new TestDatabase();

  @BeforeEach
  void furnish() {
    database.furnished();
  }

  @AfterEach
  void close() {
    database.close();
  }

  private Answer run(String... arguments) {
    return database.cli(home).run(arguments);
  }

  private TaskInfo task(String id) {
    return database.inspector().queue("mail").task(id);
  }

  @ParameterizedTest
  @EnumSource(TaskState.class)
  void everyStateIsListed(TaskState state) {
    String[] arguments =
        state == TaskState.AGGREGATING
            ? new String[] {"task", "list", "-q", "mail", "-s", "aggregating", "-g", "digest"}
            : new String[] {"task", "list", "-q", "mail", "-s", state.word()};

    Answer answer = run(arguments);

    assertThat(answer.exitCode()).isZero();
    assertThat(answer.out())
        .contains("ID", "Type", "Payload")
        .containsPattern(
            switch (state) {
              case ACTIVE -> "running-1";
              case PENDING -> "welcome-42";
              case SCHEDULED -> "in (59m|1h)";
              case RETRY -> "connection refused";
              case ARCHIVED -> "broken-1";
              case COMPLETED -> "\\{\"sent\": true}";
              case AGGREGATING -> "item-1";
            });
  }

  @Test
  void pagesAreCountedFromOne() {
    assertThat(run("task", "ls", "-q", "mail", "-s", "scheduled", "--size", "1").out())
        .contains("later-7", "1 to 1 of 2; next page: --page 2");
    assertThat(
            run("task", "ls", "-q", "mail", "-s", "scheduled", "--size", "1", "--page", "2").out())
        .contains("later-8", "2 to 2 of 2");
    assertThat(run("task", "ls", "-q", "mail", "-s", "scheduled", "--page", "0").exitCode())
        .isEqualTo(2);
    assertThat(run("task", "ls", "-q", "mail", "-s", "sleeping").err())
        .contains("sleeping", "pending");
    assertThat(run("task", "ls", "-q", "mail", "-s", "aggregating").err()).contains("--group");
    assertThat(run("task", "ls", "-q", "nosuch", "-s", "pending").exitCode()).isEqualTo(3);
    assertThat(run("task", "ls", "-q", "default", "-s", "retry").out())
        .isEqualTo("No retry tasks in queue default.\n");
  }

  @Test
  void jsonListsHaveAllFieldsAndCsvHasOneLinePerTask() {
    List<?> tasks = run("task", "ls", "-q", "mail", "-s", "pending", "--json").list();

    assertThat(tasks).hasSize(2);
    assertThat(tasks.get(0))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("id", "welcome-42")
        .containsEntry("state", "pending")
        .containsEntry("payload", JsonReader.read("{\"user\": 42}"))
        .containsEntry("headers", Map.of("tenant", "acme"))
        .containsKeys("max_retry", "timeout_seconds", "since");
    assertThat(run("task", "ls", "-q", "mail", "-s", "archived", "-o", "csv").out().lines())
        .hasSize(2);
    assertThat(run("task", "ls", "-q", "mail", "-s", "archived", "--json").out())
        .contains("\"payload_text\": \"not json\"");
  }

  @Test
  void inspectShowsThePayloadAndTheResult() {
    assertThat(run("task", "inspect", "--queue", "mail", "--id", "welcome-42").out())
        .containsPattern("State: +pending")
        .containsPattern("Headers: +tenant=acme")
        .contains("\"user\": 42");
    assertThat(run("task", "inspect", "done-1").out()).contains("\"sent\": true");
    assertThat(run("task", "inspect", "done-1", "--json").out()).contains("\"result\": {");
  }

  @Test
  void inspectShowsTheFailuresWithTheTraceOfTheLatest() {
    TaskType<String> trouble = TaskType.of("trouble", String.class);
    database.task("trouble", "\"x\"", o -> o.queue("trouble").id("t-1"));
    try (TaskServer server =
        TaskServer.builder(database.redis())
            .queue("trouble", 1)
            .handlers(
                Mux.builder()
                    .handle(
                        trouble,
                        (text, context) -> {
                          throw new IllegalStateException("no such user");
                        })
                    .build())
            .build()) {
      server.start();
      await()
          .until(
              () -> database.inspector().queue("trouble").task("t-1").state() == TaskState.RETRY);
    }

    assertThat(run("task", "inspect", "t-1").out())
        .containsPattern("Failures: +20\\d\\d-.*(ago|now)\\) .*no such user\n")
        .containsPattern(" {5,}at .*TaskCommandsIT");
    assertThat(run("task", "inspect", "t-1", "--json").out())
        .contains("\"failures\": [", "\"trace\": ");
    assertThat(run("task", "inspect", "welcome-42").out()).doesNotContain("Failures");
  }

  @Test
  void onATerminalJsonIsColouredUnlessThatIsNotWanted() {
    assertThat(database.cli(home).onTerminal(80).run("task", "inspect", "welcome-42").out())
        .contains("\033[36m\"user\"\033[0m: \033[33m42\033[0m");
    assertThat(
            database
                .cli(home)
                .onTerminal(80)
                .run("task", "inspect", "welcome-42", "--no-color")
                .out())
        .doesNotContain("\033[");
    assertThat(
            database
                .cli(home)
                .onTerminal(80)
                .variable("NO_COLOR", "1")
                .run("task", "inspect", "welcome-42")
                .out())
        .doesNotContain("\033[");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "stats",
        "queue list",
        "task list -q mail -s pending",
        "task list -q mail -s retry",
        "task list -q mail -s archived",
        "task list -q mail -s completed",
        "task search",
        "server list --workers"
      })
  void everyListFitsIntoAnOrdinaryTerminal(String line) {
    // As long as real IDs.
    String id = "0ecf38ba-5150-4581-908e-fa7973b8d2ae";
    database.task("email:welcome-to-all-of-you", "{}", o -> o.queue("mail").id(id));

    Answer answer =
        database.cli(home).onTerminal(80).variable("NO_COLOR", "1").run(line.split(" ", -1));

    assertThat(answer.exitCode()).isZero();
    assertThat(answer.out().lines()).allMatch(each -> each.length() <= 80);
  }

  @Test
  void onATerminalTablesFitItsWidth() {
    database.task(
        "wide", "{\"text\": \"" + "x".repeat(300) + "\"}", o -> o.queue("mail").id("wide"));

    assertThat(
            database
                .cli(home)
                .onTerminal(80)
                .run("task", "ls", "-q", "mail", "-s", "pending", "--no-color")
                .out()
                .lines())
        .allMatch(line -> line.length() <= 80)
        .anyMatch(line -> line.contains("…"));
  }

  @Test
  void missingThingsAreReportedAsNotFound() {
    Answer answer = run("task", "inspect", "nosuch");
    assertThat(answer.exitCode()).isEqualTo(3);
    assertThat(answer.err()).contains("nosuch", "task search");
    assertThat(run("task", "run", "-q", "mail", "-i", "nosuch").exitCode()).isEqualTo(3);
    assertThat(run("task", "inspect").exitCode()).isEqualTo(2);
  }

  @Test
  void anIdInTwoQueuesNeedsAQueue() {
    database.task("same-id", "{}", o -> o.queue("default").id("welcome-42"));

    Answer answer = run("task", "inspect", "welcome-42");

    assertThat(answer.exitCode()).isEqualTo(2);
    assertThat(answer.err()).contains("default, mail", "--queue");
  }

  @Test
  void tasksAreRunArchivedAndDeleted() {
    assertThat(run("task", "run", "later-7").out())
        .isEqualTo("Task later-7 in queue mail: pending.\n");
    assertThat(task("later-7").state()).isEqualTo(TaskState.PENDING);
    assertThat(run("task", "archive", "-q", "mail", "-i", "later-7", "-i", "later-8").exitCode())
        .isZero();
    assertThat(task("later-8").state()).isEqualTo(TaskState.ARCHIVED);
    assertThat(run("task", "rm", "later-7", "later-8", "--json").out()).contains("\"deleted\"");
    assertThat(database.inspector().queue("mail").snapshot().size(TaskState.ARCHIVED)).isOne();
  }

  @Test
  void actionsForbiddenInAStateFailWithAReason() {
    Answer answer = run("task", "delete", "-q", "mail", "-i", "running-1");

    assertThat(answer.exitCode()).isEqualTo(1);
    assertThat(answer.err()).contains("running-1", "cancel");
  }

  @Test
  void aRunningTaskIsCancelled() {
    assertThat(run("task", "cancel", "running-1", "--then", "delete").out())
        .contains("cancellation requested");
    assertThat(run("task", "cancel", "running-1", "--then", "forget").exitCode()).isEqualTo(2);
  }

  @Test
  void tasksAreRescheduledMovedUpdatedAndCloned() throws Exception {
    assertThat(run("task", "reschedule", "later-7", "--in", "2h").out()).contains("due in 2h");
    assertThat(run("task", "reschedule", "later-7").exitCode()).isEqualTo(2);
    assertThat(run("task", "move", "later-7", "--to", "slow").out())
        .contains("moved to queue slow");
    assertThat(database.inspector().queue("slow").task("later-7").state())
        .isEqualTo(TaskState.SCHEDULED);

    Path file = Files.writeString(home.resolve("payload.json"), "{\"user\": 9}");
    assertThat(run("task", "edit", "later-8", "--payload", "@" + file).exitCode()).isZero();
    assertThat(task("later-8").payload().utf8()).isEqualTo("{\"user\": 9}");
    assertThat(run("task", "update", "later-8", "--payload", "@nosuch.json").exitCode())
        .isEqualTo(2);

    assertThat(run("task", "copy", "broken-1", "--new-id", "again", "--retry", "3").out())
        .isEqualTo("Task broken-1 in queue mail: copied as again.\n");
    assertThat(task("again").maxRetry()).isEqualTo(3);
    assertThat(task("again").state()).isEqualTo(TaskState.PENDING);
  }

  @Test
  void aTaskIsExplained() {
    assertThat(run("task", "explain", "later-7").out()).contains("Why:", "It is due at");
    assertThat(run("task", "why", "later-7", "--json").out()).contains("not_due");
  }

  @Test
  void anExplanationNamesTheRateLimitThatDelaysATask() {
    assertThat(run("queue", "limit", "mail", "--rate", "1/h").exitCode()).isZero();

    assertThat(run("task", "explain", "pending-1").out())
        .contains("rate limit of its queue is 1/h", "at the earliest");
    assertThat(run("task", "explain", "pending-1", "--json").out()).contains("rate_reached");
  }

  @Test
  void tasksAreSearchedInAllQueuesAndStates() {
    assertThat(run("task", "search", "--error", "REFUSED").out())
        .contains("failed-1", "1 found in");
    assertThat(run("task", "search", "--payload", "$.user=42", "--json").out())
        .contains("welcome-42", "other-1")
        .doesNotContain("later-7");
    assertThat(run("task", "search", "--header", "tenant=acme", "-o", "csv").out().lines())
        .hasSize(2);
    assertThat(run("task", "find", "-q", "mail", "-s", "scheduled", "--id", "later").out())
        .contains("later-7", "later-8", "2 found");
    assertThat(run("task", "search", "--type", "email:*", "--limit", "1").out())
        .contains("1 found", "raise --limit");
    assertThat(run("task", "search", "--type", "nothing").out()).contains("No matching tasks");
    assertThat(run("task", "search", "--payload", "$.[").exitCode()).isEqualTo(2);
    assertThat(run("task", "search", "--older-than", "soon").err()).contains("1h30m");
  }
}
