package io.asynq4j.examples;

import static java.time.Duration.ofMinutes;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Mux;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.GroupAggregator.Aggregated;
import io.asynq4j.server.TaskServer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

/** Many small tasks become one. */
public final class TaskGroups {

  private TaskGroups() {}

  private static Aggregated digest(QueueName queue, String group, List<Task> tasks) {
    String news =
        tasks.stream()
            .map(task -> task.payload().utf8())
            .sorted()
            .collect(Collectors.joining(", "));
    return Aggregated.of(Task.of("digest", Payload.ofUtf8(news)));
  }

  public static void main(String[] arguments) throws InterruptedException {
    CountDownLatch sent = new CountDownLatch(1);
    Mux handlers =
        Mux.builder()
            .run(
                "digest",
                (task, context) -> {
                  System.out.println("one mail: " + task.payload().utf8());
                  sent.countDown();
                })
            .build();

    try (RedisConnection redis = RedisConnection.open(arguments[0]);
        TaskClient client = TaskClient.create(redis);
        TaskServer server =
            TaskServer.builder(redis)
                .handlers(handlers)
                .groups(
                    groups -> groups.maxSize(3).grace(ofMinutes(1)).aggregator(TaskGroups::digest))
                .build()) {
      server.start();
      for (String news : new String[] {"Ann joined", "Ben left", "Cem wrote"}) {
        client.enqueue(Task.of("news", Payload.ofUtf8(news)), o -> o.group("team-1"));
      }
      sent.await();
    }
  }
}
