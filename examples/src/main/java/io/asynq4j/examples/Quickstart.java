package io.asynq4j.examples;

import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Mux;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import java.util.concurrent.CountDownLatch;

/** A task is enqueued, and a server in the same process handles it. */
public final class Quickstart {

  record Greeting(String name) {}

  static final TaskType<Greeting> GREET = TaskType.of("greet", Greeting.class);

  private Quickstart() {}

  public static void main(String[] arguments) throws InterruptedException {
    CountDownLatch greeted = new CountDownLatch(1);
    Mux handlers =
        Mux.builder()
            .run(
                GREET,
                (greeting, context) -> {
                  System.out.println("Hello, " + greeting.name() + "!");
                  greeted.countDown();
                })
            .build();

    try (RedisConnection redis = RedisConnection.open(arguments[0]);
        TaskClient client = TaskClient.create(redis);
        TaskServer server = TaskServer.builder(redis).handlers(handlers).build()) {
      server.start();
      client.enqueue(GREET, new Greeting("world"));
      greeted.await();
    }
  }
}
