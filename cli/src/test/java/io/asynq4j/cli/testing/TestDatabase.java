package io.asynq4j.cli.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.handler.Outcome;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.Scheduler;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * A separate Redis database, and sample data for it. All databases share one server, which ends
 * with this process.
 */
public final class TestDatabase implements AutoCloseable {

  private static final int DATABASES = 1_000;
  private static final EmbeddedRedis SERVER =
      EmbeddedRedis.builder().config("databases", Integer.toString(DATABASES)).start();
  private static final AtomicInteger NEXT = new AtomicInteger();

  private final String url = SERVER.uri() + "/" + NEXT.getAndIncrement();
  private final RedisConnection redis = RedisConnection.open(url);
  private final TaskClient client = TaskClient.create(redis);

  public String url() {
    return url;
  }

  public static int port() {
    return SERVER.port();
  }

  /** Runs commands, one per line, on this database: writes what the library would not. */
  public void raw(String... commands) {
    try (Socket socket = new Socket(SERVER.host(), SERVER.port())) {
      BufferedReader answers =
          new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
      send(socket, answers, List.of("SELECT", url.substring(url.lastIndexOf('/') + 1)));
      for (String command : commands) {
        send(socket, answers, List.of(command.split(" ", -1)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void send(Socket socket, BufferedReader answers, List<String> words)
      throws IOException {
    StringBuilder request = new StringBuilder("*" + words.size() + "\r\n");
    words.forEach(
        word -> request.append("$" + word.getBytes(UTF_8).length + "\r\n").append(word + "\r\n"));
    socket.getOutputStream().write(request.toString().getBytes(UTF_8));
    assertThat(answers.readLine()).as("%s", words).doesNotStartWith("-");
  }

  public RedisConnection redis() {
    return redis;
  }

  public Inspector inspector() {
    return Inspector.create(redis);
  }

  /** The command, with this database in an environment variable. */
  public CliRunner cli(Path home) {
    return new CliRunner(home).variable("ASYNQ_REDIS_URL", url);
  }

  public TestDatabase task(
      String type, String payload, UnaryOperator<TaskOptions.Builder> options) {
    client.enqueue(EnqueueRequest.of(Task.of(type, Payload.ofUtf8(payload)), options)).orThrow();
    return this;
  }

  /** All kinds of data, as the examples in the help need it. */
  public TestDatabase furnished() {
    running("mail", "running-1");
    failed("mail", "failed-1", "connection refused");
    completed("mail", "done-1", "{\"sent\": true}");
    task(
        "email:welcome",
        "{\"user\": 42}",
        o -> o.queue("mail").id("welcome-42").header("tenant", "acme"));
    task("report:daily", "{\"day\": 1}", o -> o.queue("mail").id("pending-1"));
    task("email:later", "{\"user\": 7}", o -> o.queue("mail").id("later-7").processIn(hour()));
    task("email:later", "{\"user\": 8}", o -> o.queue("mail").id("later-8").processIn(hour()));
    task("email:digest", "{\"n\": 1}", o -> o.queue("mail").id("item-1").group("digest"));
    task("email:broken", "not json", o -> o.queue("mail").id("broken-1"));
    inspector().queue("mail").archive("broken-1");
    task("email:welcome", "{\"user\": 42}", o -> o.queue("default").id("other-1"));
    task("old", "", o -> o.queue("outdated"));
    task("old", "", o -> o.queue("unused").id("only"));
    inspector().queue("unused").delete("only");
    return this;
  }

  private static Duration hour() {
    return Duration.ofHours(1);
  }

  /** A task that a worker runs. Only for a queue without other pending tasks, as those below. */
  TestDatabase running(String queue, String id) {
    claim(queue, id);
    return this;
  }

  /** A task in retry. */
  TestDatabase failed(String queue, String id, String error) {
    TaskLeases.create(redis).settle(claim(queue, id), Outcome.retry(error, hour()));
    return this;
  }

  TestDatabase completed(String queue, String id, String result) {
    TaskLeases.create(redis).complete(claim(queue, id), Payload.ofUtf8(result));
    return this;
  }

  private LeasedTask claim(String queue, String id) {
    task("report:long", "{\"id\": 1}", o -> o.queue(queue).id(id).retention(hour()));
    List<LeasedTask> claimed = TaskLeases.create(redis).claim(queue, 1, Duration.ofMinutes(5));
    if (claimed.isEmpty() || !claimed.get(0).id().equals(id)) {
      throw new IllegalStateException("another task was before " + id);
    }
    return claimed.get(0);
  }

  /** A scheduler with an entry of this name, which is stored when this returns. */
  public Scheduler scheduler(String... names) {
    Scheduler.Builder builder = Scheduler.builder(redis);
    for (String name : names) {
      builder.add(
          name, Schedule.cron("0 3 * * *"), Task.of("report:nightly", Payload.ofUtf8("{}")));
    }
    Scheduler scheduler = builder.build();
    scheduler.start();
    await()
        .until(
            () ->
                inspector().schedules().stream()
                        .filter(entry -> entry.isRemembered() && entry.isLive())
                        .count()
                    == names.length);
    return scheduler;
  }

  @Override
  public void close() {
    client.close();
    redis.close();
  }
}
