package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchIT {

  @TempDir private Path home;
  private final Scene scene = new Scene();

  @AfterEach
  void close() {
    scene.close();
  }

  /** Runs it until this has been shown twice, and returns all that was shown. */
  private String watch(Cli cli, String until, String... arguments) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    FutureTask<Integer> command =
        new FutureTask<>(() -> Asynq.commandLine(cli.surroundings(out, err)).execute(arguments));
    Thread thread = new Thread(command);
    thread.start();
    await()
        .atMost(Duration.ofSeconds(10))
        .until(
            () ->
                command.isDone()
                    || Pattern.compile(until).matcher(Cli.text(out)).results().count() >= 2);
    thread.interrupt();
    assertThat(command.get(10, TimeUnit.SECONDS)).as(Cli.text(err)).isZero();
    return Cli.text(out);
  }

  @Test
  void elsewhereItIsShownAgainAndAgain() throws Exception {
    scene.task("a", "{}", o -> o.queue("mail"));

    assertThat(watch(scene.cli(home), "mail", "queue", "list", "--names", "--watch", "100ms"))
        .startsWith("mail\nmail\n");
  }

  @Test
  void onATerminalItIsShownInPlace() throws Exception {
    scene.task("a", "{}", o -> o.queue("mail"));

    assertThat(
            watch(
                scene.cli(home).onTerminal(80),
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
  void withoutATimeTheNameThatFollowsIsTheQueue() throws Exception {
    assertThat(scene.cli(home).run("queue", "inspect", "--watch=1ms", "mail").err())
        .contains("100ms or more");
    assertThat(scene.cli(home).run("queue", "pause", "--watch", "mail").err())
        .contains("cannot be watched");
  }
}
