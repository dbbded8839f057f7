package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.cli.testing.CliRunner;
import io.asynq4j.cli.testing.CliRunner.Answer;
import io.asynq4j.inspect.TaskAction;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AsynqTest {

  @TempDir private Path home;

  private Answer run(String... arguments) {
    return new CliRunner(home).run(arguments);
  }

  @Test
  void theHelpNamesTheCommandsAndWhereToBegin() {
    assertThat(run("--help").exitCode()).isZero();
    assertThat(run("--help").out())
        .contains("dev", "bench", "Run 'asynq dev'", "Exit codes", "--redis=URL")
        .doesNotContain("warm-up");
  }

  @Test
  void theHelpOfACommandHasItsOptionsAndExamples() {
    assertThat(run("dev", "--help").out()).contains("demo:hello", "--ephemeral", "Examples:");
    assertThat(run("task", "list", "--help").out())
        .contains(
            "asynq task list -q QUEUE -s STATE [OPTIONS]", "Run 'asynq --help' for all of them")
        .doesNotContain("--cluster_addrs");
    assertThat(run("help", "--help").out())
        .startsWith("Usage: asynq help [OPTIONS] [COMMAND]")
        .contains("Show the help page of a command.")
        .doesNotContain("asynq task enqueue");
  }

  @Test
  void theHelpNamesOnlyGlobalOptionsThatHaveAnEffect() {
    assertThat(run("task", "list", "--help").out()).contains("--json and --watch.");
    assertThat(run("task", "delete", "--help").out())
        .contains("FORMAT and --json.")
        .doesNotContain("--watch");
    assertThat(run("completion", "--help").out()).doesNotContain("--redis", "--watch");
    assertThat(run("dashboard", "--help").out())
        .startsWith("Usage: asynq dashboard [OPTIONS] [COMMAND]")
        .contains("--redis URL, other global options")
        .doesNotContain("--watch");
    assertThat(run("context", "set", "--help").out()).contains("for --redis URL, other global");
    assertThat(run("dev", "--help").out()).contains("for --redis URL, other global");
    for (String local : List.of("context", "bench", "help")) {
      assertThat(run(local, "--help").out())
          .contains("for the global options and the exit codes.")
          .doesNotContain("Global options include", "--watch");
    }
    assertThat(run("queue", "--help").out()).contains("--json and --watch.");
  }

  @Test
  void everyActionOnATaskIsACommandWithItsName() {
    for (TaskAction action : TaskAction.values()) {
      assertThat(run("task", action.word(), "--help").out())
          .startsWith("Usage: asynq task " + action.word() + " ");
    }
  }

  @Test
  void earlierNamesOfCommandsStillWork() {
    assertThat(run("task", "clone", "--help").out()).isEqualTo(run("task", "copy", "--help").out());
    assertThat(run("task", "update", "--help").out())
        .isEqualTo(run("task", "edit", "--help").out());
  }

  @Test
  void theHelpDescribesWhatHappensToMovedAndCancelledTasks() {
    assertThat(words("task", "move", "--help"))
        .contains(
            "Scheduled and retry tasks are scheduled in the new queue",
            "Archived tasks become pending. Other tasks keep their state.");
    assertThat(words("task", "cancel", "--help"))
        .contains(
            "(cancelGrace of the server, default: 2s), that outcome applies. Otherwise --then")
        .doesNotContain("still decides");
  }

  /** The output without line breaks. */
  private String words(String... arguments) {
    return run(arguments).out().replaceAll("\\s+", " ");
  }

  @Test
  void commandsForOneTaskRejectASecond() {
    for (String command : List.of("inspect", "explain")) {
      assertThat(run("task", command, "--help").out()).contains("[OPTIONS] [ID]\n");
      assertThat(run("task", command, "a", "b").exitCode()).isEqualTo(2);
      assertThat(run("task", command, "--id", "a", "b").err()).contains("exactly one task");
      assertThat(run("task", command).err()).contains("Missing task ID");
    }
  }

  @Test
  void theVersionIsPrinted() {
    assertThat(run("--version").out()).contains("asynq4j", "Java");
    assertThat(run("version").out()).isEqualTo(run("--version").out());
    assertThat(run("version", "--json").out()).contains("\"asynq4j\"");
  }

  @Test
  void typosAreAnsweredWithASuggestion() {
    Answer answer = run("task", "delet");
    assertThat(answer.exitCode()).isEqualTo(2);
    assertThat(answer.out()).isEmpty();
    assertThat(answer.err()).contains("delet", "Did you mean", "delete", "asynq task --help");
    assertThat(run("queue", "list", "--name").err()).contains("--names");
  }

  @Test
  void missingThingsAreNamed() {
    assertThat(run("tsk").err()).contains("Unknown command tsk for 'asynq'", "Did you mean task?");
    assertThat(run("tsak").err()).contains("Did you mean task?");
    assertThat(run("queue", "lsit").err()).contains("Did you mean list?");
    assertThat(run("stats", "--jsno").err()).contains("Did you mean --json?");
    assertThat(run("xylophone").err()).doesNotContain("Did you mean");
    assertThat(run("stats", "--nosuch").err())
        .contains("Unknown option --nosuch for 'asynq stats'");
    assertThat(run("stats", "mail").err()).contains("Unexpected argument mail for 'asynq stats'");
  }

  @Test
  void requiredOptionsAreListedFirst() {
    String help = run("task", "deleteall", "--help").out();
    assertThat(help.indexOf("--state=STATE")).isLessThan(help.indexOf("--group=GROUP"));
    assertThat(help.indexOf("--group=GROUP")).isLessThan(help.indexOf("--help"));
    String serve = run("serve", "--help").out();
    assertThat(serve.indexOf("--config=FILE")).isLessThan(serve.indexOf("-h, --help"));
  }

  @Test
  void aMissingCommandIsAnsweredWithTheAvailableOnes() {
    assertThat(run().exitCode()).isEqualTo(2);
    assertThat(run().err()).contains("Missing command", "dev", "task");
    assertThat(run("task").err()).contains("Missing command", "enqueue");
  }

  @Test
  void theBenchCommandRefersToTheLauncher() {
    assertThat(run("bench", "drain", "--tasks", "5").exitCode()).isEqualTo(1);
    assertThat(run("bench", "drain").err()).contains("(drain)", "./asynq");
  }

  @Test
  void optionsThatContradictEachOtherAreRefused() {
    assertThat(run("dev", "--ephemeral", "--data", "x").exitCode()).isEqualTo(2);
    Answer answer = run("dev", "--redis", "redis://localhost", "--port", "7000");
    assertThat(answer.exitCode()).isEqualTo(2);
    assertThat(answer.err()).contains("apply to a Redis that this command starts");
    assertThat(run("dev", "--load", "many").err()).contains("20/s");
  }

  @Test
  void theWarmUpPrintsNothing() {
    assertThat(run("warm-up")).isEqualTo(new Answer(0, "", ""));
  }
}
