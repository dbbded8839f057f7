package io.asynq4j.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.cli.Asynq;
import io.asynq4j.cli.testing.CliRunner;
import io.asynq4j.cli.testing.TestDatabase;
import io.asynq4j.embedded.EmbeddedRedis;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchModeIT {

  @TempDir private Path home;
  private final TestDatabase database = new TestDatabase();

  @AfterEach
  void close() {
    database.close();
  }

  /** Runs a command until it has printed this text twice, and returns its output. */
  private String watch(CliRunner cli, String until, String... arguments) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    FutureTask<Integer> command =
        new FutureTask<>(() -> Asynq.commandLine(cli.environment(out, err)).execute(arguments));
    Thread thread = new Thread(command);
    thread.start();
    await()
        .until(
            () ->
                command.isDone()
                    || Pattern.compile(until).matcher(CliRunner.text(out)).results().count() >= 2);
    thread.interrupt();
    assertThat(command.get(10, TimeUnit.SECONDS)).as(CliRunner.text(err)).isZero();
    return CliRunner.text(out);
  }

  @Test
  void withoutATerminalTheOutputIsRepeated() throws Exception {
    database.task("a", "{}", o -> o.queue("mail"));

    assertThat(watch(database.cli(home), "mail", "queue", "list", "--names", "--watch", "100ms"))
        .startsWith("mail\nmail\n");
  }

  @Test
  void onATerminalItIsShownInPlace() throws Exception {
    database.task("a", "{}", o -> o.queue("mail"));

    assertThat(
            watch(
                database.cli(home).onTerminal(80),
                "Ctrl-C",
                "queue",
                "inspect",
                "--watch",
                "100ms",
                "mail"))
        .startsWith("\033[2J\033[H\033[Hasynq queue inspect, every 100ms")
        .contains("\033[K\n")
        .endsWith("\033[J");
  }

  @Test
  void watchModeShowsAnOutageAndContinues() throws Exception {
    try (EmbeddedRedis server = EmbeddedRedis.start()) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      ByteArrayOutputStream err = new ByteArrayOutputStream();
      CliRunner cli =
          new CliRunner(home).variable("ASYNQ_REDIS_URL", server.uri() + "?retryFor=0s");
      FutureTask<Integer> command =
          new FutureTask<>(
              () ->
                  Asynq.commandLine(cli.environment(out, err))
                      .execute("queue", "list", "--watch", "100ms"));
      Thread thread = new Thread(command);
      thread.start();
      await().until(() -> CliRunner.text(out).contains("No queues yet"));

      server.kill();
      await().until(() -> CliRunner.text(err).contains("asynq: Redis does not respond: "));
      server.restart();
      out.reset();
      await().until(() -> CliRunner.text(out).contains("No queues yet"));

      thread.interrupt();
      assertThat(command.get(10, TimeUnit.SECONDS)).isZero();
    }
  }

  @Test
  void localCommandsRefuseWatch() {
    assertThat(database.cli(home).run("version", "--watch").exitCode()).isEqualTo(2);
    assertThat(database.cli(home).run("doctor", "--repair", "--watch").err())
        .contains("does not support --watch");
    database.task("a", "{}", o -> o.queue("mail"));
    assertThat(database.cli(home).run("queue", "limit", "mail", "--clear", "--watch").err())
        .contains("does not support --watch");
  }

  @Test
  void withoutAnIntervalTheNextWordIsTheQueue() throws Exception {
    assertThat(database.cli(home).run("queue", "inspect", "--watch=1ms", "mail").err())
        .contains("at least 100ms");
    assertThat(database.cli(home).run("queue", "pause", "--watch", "mail").err())
        .contains("does not support --watch");
  }
}
