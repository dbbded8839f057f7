package io.asynq4j.cli.dash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as a separate process in a real pseudo-terminal of tmux. */
class DashCommandIT {
  @TempDir private Path directory;

  private final EmbeddedRedis server = EmbeddedRedis.start();
  private final RedisConnection redis = RedisConnection.open(server.uri());

  @BeforeEach
  void open() throws Exception {
    assumeTrue(hasTmux(), "the dashboard in a real terminal: there is no tmux");
    SampleTasks.oneOfEach(redis, "mail");
    SampleTasks.pending(redis, "other", "p", 60);
    // Not the default character for an interrupt: it must be restored as well.
    Path script = directory.resolve("script.sh");
    Files.writeString(
        script,
        """
        stty intr ^P
        stty -g > %1$s/before
        echo before the dashboard
        %2$s
        echo $? > %1$s/code.new
        stty -g > %1$s/after
        mv %1$s/code.new %1$s/code
        exec cat
        """
            .formatted(directory, command()));
    tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "sh " + script);
  }

  private static boolean hasTmux() {
    try {
      return new ProcessBuilder("tmux", "-V").start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private String command() {
    return Stream.of(
            "LANG=C.UTF-8",
            "LC_ALL=C.UTF-8",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            "'" + System.getProperty("java.class.path") + "'",
            "io.asynq4j.cli.Asynq",
            "dash",
            "--redis",
            server.uri(),
            "--interval",
            "500ms",
            "2>" + directory.resolve("errors"))
        .reduce((left, right) -> left + " " + right)
        .orElseThrow();
  }

  @AfterEach
  void close() throws Exception {
    if (hasTmux()) {
      // This tmux, which has its own socket.
      tmux("kill-server");
    }
    redis.close();
    server.close();
  }

  private String tmux(String... words) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("tmux", "-u", "-S", directory.resolve("tmux").toString()));
    command.addAll(List.of(words));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    return output;
  }

  private void press(String... keys) throws Exception {
    List<String> words = new ArrayList<>(List.of("send-keys"));
    words.addAll(List.of(keys));
    tmux(words.toArray(String[]::new));
  }

  private String screen() throws Exception {
    return tmux("capture-pane", "-p");
  }

  private void sees(String... texts) {
    await()
        .pollInterval(Duration.ofMillis(100))
        .untilAsserted(() -> assertThat(screen()).contains(texts));
  }

  private void assertLeftAsItWas(String code) throws Exception {
    await().until(() -> Files.exists(directory.resolve("code")));
    assertThat(Files.readString(directory.resolve("code")).strip()).isEqualTo(code);
    assertThat(Files.readString(directory.resolve("after")))
        .isEqualTo(Files.readString(directory.resolve("before")));
    assertThat(Files.readString(directory.resolve("errors"))).isEmpty();
    // The previous screen is restored, with its cursor.
    sees("before the dashboard");
    assertThat(screen()).doesNotContain("Queues", "LATENCY");
    assertThat(tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}").strip())
        .isEqualTo("0 1");
  }

  @Test
  void movingSearchingPausingResizingAndQuittingWork() throws Exception {
    sees("[1 Queues]", "mail", "other", "2 queues");
    assertThat(tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}").strip())
        .isEqualTo("1 0");

    press("Down");
    sees("─ other ─");
    press("Enter");
    sees("other › active");
    press("Right");
    sees("showing 1–15 of 60", "p-14");
    press("n");
    sees("showing 16–30 of 60");
    press("/");
    press("-l", "id:p-5");
    press("Enter");
    sees("page 1: 11 found in 60 of 60 tasks");
    press("Escape");
    sees("showing 1–15 of 60");
    press("Space", "Space");
    sees("* p-0", "* p-1", "2 marked");
    press("d");
    sees("Delete 2 marked tasks in queue");
    press("y");
    sees("2 tasks are deleted.", "of 58");
    press("H");
    sees("other › history", "PROCESSED");
    press("q");
    sees("showing 1–15 of 58");
    press("Escape");
    sees("[1 Queues]", "─ other ─");

    press("/", "o", "t", "h", "Enter");
    sees("search: oth", "(1 match)");
    press("P");
    sees("Pause queue \"other\"?");
    press("y");
    sees("Queue \"other\" is paused", "PAUSED");
    assertThat(Inspector.create(redis).queue("other").snapshot().paused()).isTrue();
    press("Escape");
    sees("2 queues, sorted by name");

    tmux("resize-window", "-x", "140", "-y", "40");
    sees("MEMORY", "PEND");
    assertThat(screen().lines().count()).isEqualTo(40);
    tmux("resize-window", "-x", "40", "-y", "10");
    sees("asynq dash needs 50×14");
    tmux("resize-window", "-x", "80", "-y", "24");
    sees("[1 Queues]", "q quit");

    press("?");
    sees("redraw the screen");
    press("q");
    sees("[1 Queues]");
    press("q");
    assertLeftAsItWas("0");
  }

  @Test
  void aTermSignalLeavesTheTerminalAsItWas() throws Exception {
    sees("[1 Queues]", "mail");
    long shell = Long.parseLong(tmux("display-message", "-p", "#{pane_pid}").strip());
    ProcessHandle java = ProcessHandle.of(shell).orElseThrow().children().findFirst().orElseThrow();
    assertThat(java.destroy()).isTrue();
    assertLeftAsItWas("143");
  }

  @Test
  void theScreenIsOverwrittenWithoutErasingAndCtrlCQuits() throws Exception {
    sees("[1 Queues]", "mail");
    Path log = directory.resolve("output");
    tmux("pipe-pane", "-o", "cat > " + log);
    press("Down");
    sees("─ other ─");
    await().until(() -> Files.exists(log) && Files.size(log) > 0);
    assertThat(Files.readString(log, StandardCharsets.UTF_8)).doesNotContain("\033[2J", "\033[J");
    press("C-c");
    assertLeftAsItWas("0");
  }

  @Test
  void withoutATerminalItIsRefusedInOneSentence() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "io.asynq4j.cli.Asynq",
                "dash",
                "--redis",
                server.uri())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(1);
    assertThat(output)
        .startsWith("asynq: 'asynq dash' needs a Unix terminal")
        .doesNotContain("\tat ");
  }
}
