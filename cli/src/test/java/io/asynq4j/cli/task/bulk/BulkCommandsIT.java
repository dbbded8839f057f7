package io.asynq4j.cli.task.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.cli.testing.CliRunner.Answer;
import io.asynq4j.cli.testing.TestDatabase;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.TaskClient;
import io.asynq4j.inspect.TaskAction;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BulkCommandsIT {

  @TempDir private Path home;
  private final TestDatabase database = new TestDatabase();

  @BeforeEach
  void furnish() {
    for (int i = 0; i < 30; i++) {
      String id = "a-" + i;
      String type = i % 3 == 0 ? "report:daily" : "email:welcome";
      database.task(type, "{\"user\": " + i + "}", o -> o.queue("mail").id(id));
    }
  }

  @AfterEach
  void close() {
    database.close();
  }

  private Answer run(String... arguments) {
    return database.cli(home).run(arguments);
  }

  private long size(TaskState state) {
    return database.inspector().queue("mail").snapshot().size(state);
  }

  @Test
  void progressIsShownOnATerminal() {
    assertThat(
            database
                .cli(home)
                .onTerminal(80)
                .run("task", "deleteall", "-q", "mail", "-s", "pending", "--yes")
                .err())
        .contains("Delete [########################] 100% (30 of 30)")
        .endsWith("\r\033[K");
    assertThat(size(TaskState.PENDING)).isZero();
  }

  @Test
  void aDryRunOnlyCounts() {
    assertThat(run("task", "deleteall", "-q", "mail", "-s", "pending", "--dry-run").out())
        .isEqualTo("30 tasks would be deleted.\n");
    assertThat(
            run(
                    "task",
                    "archiveall",
                    "-q",
                    "mail",
                    "-s",
                    "pending",
                    "--type",
                    "report:*",
                    "--dry-run",
                    "--json")
                .out())
        .contains("\"matched\": 10", "\"done\": 0", "\"dry_run\": true");
    assertThat(size(TaskState.PENDING)).isEqualTo(30);
  }

  @Test
  void theConfirmationShowsTheCountAndCanBeDeclined() {
    Answer declined =
        database.cli(home).typing("\n").run("task", "deleteall", "-q", "mail", "-s", "pending");

    assertThat(declined.exitCode()).isEqualTo(1);
    assertThat(declined.err())
        .contains("Delete 30 pending tasks in queue mail? [y/N]", "Nothing was changed.");
    assertThat(size(TaskState.PENDING)).isEqualTo(30);

    Answer agreed =
        database.cli(home).typing("y\n").run("task", "deleteall", "-q", "mail", "-s", "pending");
    assertThat(agreed.out()).isEqualTo("30 tasks deleted.\n");
    assertThat(size(TaskState.PENDING)).isZero();
  }

  @Test
  void withoutATerminalItRequiresYes() {
    Answer answer = run("task", "deleteall", "-q", "mail", "-s", "pending");

    assertThat(answer.exitCode()).isEqualTo(2);
    assertThat(answer.err()).contains("--yes");
    assertThat(size(TaskState.PENDING)).isEqualTo(30);
  }

  @Test
  void matchingTasksAreArchivedAndRunAgain() {
    assertThat(
            run("task", "archiveall", "-q", "mail", "-s", "pending", "-t", "report:*", "--yes")
                .out())
        .isEqualTo("10 tasks archived.\n");
    assertThat(size(TaskState.ARCHIVED)).isEqualTo(10);
    assertThat(run("task", "runall", "-q", "mail", "-s", "archived", "--limit", "4", "-y").out())
        .isEqualTo("4 tasks made pending.\n");
    assertThat(run("task", "runall", "-q", "mail", "-s", "archived", "-y", "--json").out())
        .contains("\"done\": 6");
    assertThat(size(TaskState.PENDING)).isEqualTo(30);
  }

  /** Fills the archive until this many free places are left. */
  private void fillArchive(int room) {
    Task task = Task.of("t");
    TaskClient.create(database.redis())
        .enqueueAll(
            Collections.nCopies(
                7_900 - room,
                EnqueueRequest.of(task, o -> o.queue("mail").processIn(Duration.ofHours(1)))));
    database.inspector().queue("mail").archiveAll(TaskState.SCHEDULED);
  }

  @Test
  void archivingStopsWhenTheArchiveIsFull() {
    fillArchive(5);

    Answer dry = run("task", "archiveall", "-q", "mail", "-s", "pending", "--dry-run");
    assertThat(dry.out()).isEqualTo("30 tasks would be archived.\n");
    assertThat(dry.err())
        .contains(
            "has no room for 25 of these tasks. They will not be archived unless you pass"
                + " --drop-oldest");
    assertThat(size(TaskState.PENDING)).isEqualTo(30);

    Answer all = run("task", "archiveall", "-q", "mail", "-s", "pending", "--yes");
    assertThat(all.exitCode()).isEqualTo(1);
    assertThat(all.out()).isEqualTo("5 tasks archived.\n");
    assertThat(all.err()).contains("the archive of queue \"mail\" is full (7,900 tasks)");
    Answer some = run("task", "archiveall", "-q", "mail", "-s", "pending", "-t", "*", "--yes");
    assertThat(some.exitCode()).isEqualTo(1);
    assertThat(some.out()).isEqualTo("0 tasks archived.\n");
    assertThat(run("task", "archive", "-q", "mail", "a-29").err()).contains("is full");
    assertThat(size(TaskState.PENDING)).isEqualTo(25);
    assertThat(size(TaskState.ARCHIVED)).isEqualTo(7_900);
  }

  @Test
  void theOldestArchivedTasksAreDeletedOnRequest() {
    fillArchive(5);
    String[] command = {"task", "archiveall", "-q", "mail", "-s", "pending", "--drop-oldest"};

    Answer asked = database.cli(home).onTerminal(80).typing("n\n").run(command);
    assertThat(asked.err())
        .contains(
            "has no room for 25 of these tasks. The 25 oldest archived tasks will be deleted.")
        .contains("Archive 30 pending tasks in queue mail? [y/N]");

    String[] agreed = Arrays.copyOf(command, command.length + 1);
    agreed[command.length] = "--yes";
    assertThat(run(agreed).out())
        .isEqualTo(
            "30 tasks archived. To make room in the archive, its 25 oldest tasks were deleted.\n");
    assertThat(size(TaskState.ARCHIVED)).isEqualTo(7_900);
    database.task("t", "{}", o -> o.queue("mail").id("one"));
    assertThat(run("task", "archive", "-q", "mail", "--drop-oldest", "one").exitCode()).isZero();
  }

  @Test
  void manyTasksAreMovedToAnotherQueue() {
    assertThat(
            run(
                    "task",
                    "moveall",
                    "-q",
                    "mail",
                    "-s",
                    "pending",
                    "--to",
                    "slow",
                    "--payload",
                    "$.user=7",
                    "--yes")
                .out())
        .isEqualTo("1 task moved to queue slow.\n");
    assertThat(database.inspector().queue("slow").task("a-7").type()).isEqualTo("email:welcome");
  }

  @Test
  void manyTasksAreRescheduled() {
    String[] command = {"task", "rescheduleall", "-q", "mail", "-s", "pending", "-t", "report:*"};

    assertThat(run(command).err()).contains("--at TIME or --in DURATION");
    String[] complete = Arrays.copyOf(command, command.length + 3);
    System.arraycopy(new String[] {"--in", "1h", "--yes"}, 0, complete, command.length, 3);
    assertThat(run(complete).out()).isEqualTo("10 tasks rescheduled.\n");

    assertThat(size(TaskState.SCHEDULED)).isEqualTo(10);
    assertThat(size(TaskState.PENDING)).isEqualTo(20);
  }

  @Test
  void helpNamesTheStatesThatAllowIt() {
    Map<String, TaskAction> commands =
        Map.of(
            "moveall", TaskAction.MOVE,
            "deleteall", TaskAction.DELETE,
            "rescheduleall", TaskAction.RESCHEDULE);
    commands.forEach(
        (command, action) -> {
          String help = run("task", command, "--help").out().replaceAll("\\s+", " ");
          assertThat(help)
              .contains(
                  "State of the tasks: "
                      + String.join(", ", action.states().stream().map(TaskState::word).toList()));
        });
    String single = run("task", "reschedule", "--help").out();
    for (TaskState state : TaskState.values()) {
      assertThat(single.contains(state.word()))
          .as(state.word())
          .isEqualTo(TaskAction.RESCHEDULE.isAllowedIn(state));
    }
  }

  @Test
  void groupsAreOfferedWhereAggregatingTasksAreAllowed() {
    Map<String, TaskAction> commands =
        Map.of(
            "runall", TaskAction.RUN,
            "archiveall", TaskAction.ARCHIVE,
            "deleteall", TaskAction.DELETE,
            "moveall", TaskAction.MOVE,
            "rescheduleall", TaskAction.RESCHEDULE,
            "cancelall", TaskAction.CANCEL);
    commands.forEach(
        (command, action) ->
            assertThat(run("task", command, "--help").out().contains("--group"))
                .as(command)
                .isEqualTo(action.isAllowedIn(TaskState.AGGREGATING)));
    assertThat(run("task", "cancelall", "-q", "mail", "-g", "x").err())
        .contains("Unknown option -g for 'asynq task cancelall'");
  }

  @Test
  void progressIsShownOnATerminalOnly() {
    assertThat(
            database
                .cli(home)
                .onTerminal(80)
                .run("task", "archiveall", "-q", "mail", "-s", "pending", "-t", "*", "-y")
                .err())
        .contains("Archive [########################] 100% (30 of 30)")
        .endsWith("\r\033[K");
    assertThat(run("task", "deleteall", "-q", "mail", "-s", "archived", "-t", "*", "-y").err())
        .isEmpty();
  }

  @Test
  void impossibleChangesAreRefusedFirst() {
    assertThat(run("task", "runall", "-q", "mail", "-s", "pending", "-y").err())
        .contains("A task cannot be run in state pending", "archived, completed");
    assertThat(run("task", "deleteall", "-q", "mail", "-s", "active", "-y").exitCode())
        .isEqualTo(2);
    assertThat(run("task", "deleteall", "-q", "nosuch", "-s", "pending", "-y").exitCode())
        .isEqualTo(3);
    assertThat(run("task", "deleteall", "-q", "mail", "-s", "pending", "-g", "x").exitCode())
        .isEqualTo(2);
    assertThat(run("task", "deleteall", "-q", "mail", "-y").err()).contains("--state");
    assertThat(size(TaskState.PENDING)).isEqualTo(30);
  }

  @Test
  void nothingToDoNeedsNoConfirmation() {
    Answer answer = run("task", "deleteall", "-q", "mail", "-s", "retry");

    assertThat(answer.exitCode()).isZero();
    assertThat(answer.out()).isEqualTo("0 tasks deleted.\n");
  }
}
