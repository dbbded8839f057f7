package io.asynq4j.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.cli.Asynq;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.redis.RedisConnection;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as a separate process, ended by signals. */
class DevCommandIT {
  private static final Pattern URL = Pattern.compile("redis://127\\.0\\.0\\.1:\\d+");

  @TempDir private Path directory;
  private @Nullable Process dev;

  @AfterEach
  void end() {
    if (dev != null) {
      dev.destroyForcibly();
    }
  }

  /** The response at the printed address. */
  private String page() throws Exception {
    Matcher address =
        Pattern.compile("dashboard +(http://127\\.0\\.0\\.1:\\d+/)").matcher(output());
    assertThat(address.find()).isTrue();
    HttpRequest request = HttpRequest.newBuilder(URI.create(address.group(1))).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
  }

  @Test
  void demoTasksAreProcessedAndCtrlCStopsCleanlyAndKeepsTheData() throws Exception {
    String data = directory.resolve("data").toString();
    start("--port", "0", "--data", data);
    await().until(() -> output().contains("attempt 1: failed as requested"));
    await().until(() -> output().contains("attempt 2: done"));
    await().until(() -> output().contains("processed/s"));
    String url = url();
    assertThat(output())
        .contains("asynq task enqueue -t demo:hello", "--redis " + url, "RedisClientOpt");
    assertThat(page()).contains("<title>asynq</title>");

    signal(ctrlC());

    assertThat(running().waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(running().exitValue()).isZero();
    assertThat(output()).contains("stopped: running tasks were finished or requeued", "bye");
    await().until(() -> !answers(url));

    start("--port", "0", "--data", data, "--no-dashboard");

    await().until(() -> output().contains("attempt 1:"));
    try (RedisConnection redis = RedisConnection.open(url())) {
      // It was six the first time.
      await().until(() -> stats(redis).processed() > 6);
    }
  }

  @Test
  void anExistingRedisIsUsedAndKeepsRunning() throws Exception {
    try (EmbeddedRedis server = EmbeddedRedis.start();
        RedisConnection redis = RedisConnection.open(server.uri())) {
      start("--redis", server.uri());
      await()
          .ignoreException(QueueNotFoundException.class)
          .until(() -> stats(redis).processed() >= 4);
      String id = enqueueWithoutPayload(redis);
      await().until(() -> output().contains("demo:hello " + id + " attempt 1: done"));

      signal(ctrlC());

      assertThat(running().waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(running().exitValue()).isZero();
      assertThat(stats(redis).size(TaskState.ACTIVE)).isZero();
    }
  }

  @Test
  void theDemoLoadHasTasksOfEveryKind() throws Exception {
    start("--port", "0", "--ephemeral", "--load", "200/s");
    await().until(() -> output().contains("tasks per second into"));
    try (RedisConnection redis = RedisConnection.open(url())) {
      Inspector inspector = Inspector.create(redis);
      for (TaskState state :
          List.of(
              TaskState.SCHEDULED, TaskState.RETRY, TaskState.COMPLETED, TaskState.AGGREGATING)) {
        await()
            .until(
                () ->
                    inspector.queues().stream()
                        .anyMatch(queue -> inspector.queue(queue).snapshot().size(state) > 0));
      }
      await().until(() -> inspector.schedules().size() == 2);
    }
    signal("TERM");

    assertThat(running().waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(running().exitValue()).isZero();
  }

  private static String enqueueWithoutPayload(RedisConnection redis) {
    try (TaskClient client = TaskClient.create(redis)) {
      return client.enqueue(Task.of("demo:hello")).orThrow().id();
    }
  }

  private static QueueSnapshot stats(RedisConnection redis) {
    return Inspector.create(redis).queue("default").snapshot();
  }

  private void start(String... options) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Asynq.class.getName(),
                "dev"));
    command.addAll(List.of(options));
    dev =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log().toFile())
            .start();
  }

  private Process running() {
    return Objects.requireNonNull(dev);
  }

  private void signal(String name) throws Exception {
    assertThat(
            new ProcessBuilder("kill", "-" + name, Long.toString(running().pid()))
                .start()
                .waitFor())
        .isZero();
  }

  /** A shell without job control has its background jobs ignore INT, and their children too. */
  private String ctrlC() throws IOException {
    Path status = Path.of("/proc", Long.toString(running().pid()), "status");
    if (!Files.isReadable(status)) {
      return "INT";
    }
    boolean ignored =
        Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .map(line -> Long.parseUnsignedLong(line.substring("SigIgn:".length()).strip(), 16))
            .anyMatch(mask -> (mask & 0b10) != 0);
    return ignored ? "TERM" : "INT";
  }

  private String url() throws IOException {
    Matcher matcher = URL.matcher(output());
    assertThat(matcher.find()).as("a URL in %s", output()).isTrue();
    return matcher.group();
  }

  private static boolean answers(String url) {
    try (RedisConnection redis = RedisConnection.open(url + "?retryFor=0s")) {
      redis.ping();
      return true;
    } catch (RuntimeException e) {
      return false;
    }
  }

  private String output() throws IOException {
    return Files.exists(log()) ? Files.readString(log()) : "";
  }

  private Path log() {
    return directory.resolve("output");
  }
}
