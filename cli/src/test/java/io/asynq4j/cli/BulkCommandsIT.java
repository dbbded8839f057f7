package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskState;
import io.asynq4j.cli.Cli.Answer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BulkCommandsIT {

  @TempDir private Path home;
  private final Scene scene = new Scene();

  @BeforeEach
  void furnish() {
    for (int i = 0; i < 30; i++) {
      String id = "a-" + i;
      String type = i % 3 == 0 ? "report:daily" : "email:welcome";
      scene.task(type, "{\"user\": " + i + "}", o -> o.queue("mail").id(id));
    }
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private Answer run(String... arguments) {
    return scene.cli(home).run(arguments);
  }

  private long size(TaskState state) {
    return scene.inspector().queue("mail").size(state);
  }

  @Test
  void whoSeesItIsShownHowFarItIs() {
    assertThat(
            scene
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
  void itAsksWithTheCountAndTakesNoForAnAnswer() {
    Answer declined =
        scene.cli(home).typing("\n").run("task", "deleteall", "-q", "mail", "-s", "pending");

    assertThat(declined.exitCode()).isEqualTo(1);
    assertThat(declined.err())
        .contains("Delete 30 pending tasks of queue mail? [y/N]", "Nothing was done.");
    assertThat(size(TaskState.PENDING)).isEqualTo(30);

    Answer agreed =
        scene.cli(home).typing("y\n").run("task", "deleteall", "-q", "mail", "-s", "pending");
    assertThat(agreed.out()).isEqualTo("30 tasks deleted.\n");
    assertThat(size(TaskState.PENDING)).isZero();
  }

  @Test
  void whereNobodyCanAnswerItWantsYes() {
    Answer answer = run("task", "deleteall", "-q", "mail", "-s", "pending");

    assertThat(answer.exitCode()).isEqualTo(2);
    assertThat(answer.err()).contains("--yes");
    assertThat(size(TaskState.PENDING)).isEqualTo(30);
  }

  @Test
  void tasksThatFiltersWantAreArchivedAndRunAgain() {
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

  @Test
  void manyAreMovedToAnotherQueue() {
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
    assertThat(scene.inspector().task("slow", "a-7").type()).isEqualTo("email:welcome");
  }

  @Test
  void progressIsShownOnATerminalOnly() {
    assertThat(
            scene
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
  void whatCannotBeDoneIsRefusedBeforeAnything() {
    assertThat(run("task", "runall", "-q", "mail", "-s", "pending", "-y").err())
        .contains("pending tasks cannot be made pending", "archived, completed");
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
  void nothingToDoNeedsNoQuestion() {
    Answer answer = run("task", "deleteall", "-q", "mail", "-s", "retry");

    assertThat(answer.exitCode()).isZero();
    assertThat(answer.out()).isEqualTo("0 tasks deleted.\n");
  }
}
