import io.asynq4j.Payload;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.GroupAggregator.Aggregated;
import io.asynq4j.server.TaskServer;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A process of a rolling change, compiled once against the previous version and once against this
 * one. When the public API changes, a copy for the previous version belongs into {@code previous/}.
 *
 * <p>{@code work URL LOG}: handles tasks until it is ended. {@code produce URL LOG NAME COUNT}:
 * enqueues tasks of all kinds whose ids begin with the name. Both write a line per event.
 */
public final class Member {

  private final FileOutputStream log;

  private Member(Path log) throws IOException {
    this.log = new FileOutputStream(log.toFile(), true);
  }

  public static void main(String[] arguments) throws Exception {
    Member member = new Member(Path.of(arguments[2]));
    try (RedisConnection redis = RedisConnection.open(arguments[1])) {
      if (arguments[0].equals("work")) {
        member.work(redis);
      } else {
        member.produce(redis, arguments[3], Integer.parseInt(arguments[4]));
      }
    }
  }

  private synchronized void write(String line) {
    try {
      log.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void work(RedisConnection redis) {
    Random random = new Random();
    Mux handlers =
        Mux.builder()
            .run("plain", (task, context) -> handle(context, random.nextInt(20), 0))
            .run("later", (task, context) -> handle(context, random.nextInt(20), 0))
            .run("fails-once", (task, context) -> handle(context, random.nextInt(20), 1))
            .run("in-order", (task, context) -> handle(context, random.nextInt(3), 0))
            .run("together", (task, context) -> members(task.payload().utf8()))
            .build();
    try (TaskServer server =
        TaskServer.builder(redis)
            .queue("default", 3)
            .queue("ordered", q -> q.ordered())
            .concurrency(10)
            .retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(1)))
            .shutdownTimeout(Duration.ofSeconds(30))
            .groups(
                groups ->
                    groups
                        .maxSize(10)
                        .grace(Duration.ofSeconds(1))
                        .aggregator(
                            (queue, group, tasks) ->
                                Aggregated.of(
                                    Task.of(
                                        "together",
                                        Payload.ofUtf8(
                                            tasks.stream()
                                                .map(task -> task.payload().utf8())
                                                .collect(Collectors.joining(" ")))))))
            .handlers(handlers)
            .build()) {
      write("ready");
      server.run();
    }
  }

  private void handle(TaskContext context, int millis, int failures) {
    LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
    boolean fails = context.retryCount() < failures;
    write((fails ? "failed " : "done ") + context.type() + " " + context.id());
    if (fails) {
      throw new IllegalStateException("on purpose");
    }
  }

  private void members(String ids) {
    for (String id : ids.split(" ")) {
      write("done grouped " + id);
    }
  }

  private void produce(RedisConnection redis, String name, int count) {
    try (TaskClient client = TaskClient.create(redis)) {
      for (int i = 0; i < count; i++) {
        String id = name + "-" + i;
        switch (i % 5) {
          case 0 -> client.enqueue(
                  Task.of("plain", Payload.ofUtf8(id)), o -> o.id(id).uniqueFor(Duration.ofHours(1)));
          case 1 -> client.enqueue(Task.of("later"), o -> o.id(id).processIn(Duration.ofSeconds(1)));
          case 2 -> client.enqueue(Task.of("fails-once"), o -> o.id(id).maxRetry(3));
          case 3 -> client.enqueue(Task.of("in-order"), o -> o.id(id).queue("ordered"));
          default ->
              client.enqueue(Task.of("member", Payload.ofUtf8(id)), o -> o.id(id).group("g"));
        }
        write("enqueued " + id);
      }
    }
  }
}
