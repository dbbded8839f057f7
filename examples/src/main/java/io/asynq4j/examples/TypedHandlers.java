package io.asynq4j.examples;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;

/** Options belong to a type, a handler returns a result, and a middleware wraps around all. */
public final class TypedHandlers {

  record Order(String item, int count) {}

  record Receipt(String item, int price) {}

  static final TaskType<Order> ORDER =
      TaskType.of("shop:order", Order.class)
          .with(o -> o.queue("shop").maxRetry(5).timeout(ofMinutes(2)).retention(ofMinutes(10)));

  private TypedHandlers() {}

  public static void main(String[] arguments) throws InterruptedException {
    Mux handlers =
        Mux.builder()
            .handle(
                ORDER,
                (order, context) -> Outcome.done(new Receipt(order.item(), 3 * order.count())))
            .use(
                (task, context, next) -> {
                  Outcome outcome = next.call();
                  System.out.println(task.type() + " -> " + outcome.getClass().getSimpleName());
                  return outcome;
                })
            .build();

    try (RedisConnection redis = RedisConnection.open(arguments[0]);
        TaskClient client = TaskClient.create(redis);
        TaskServer server = TaskServer.builder(redis).queue("shop").handlers(handlers).build()) {
      server.start();
      TaskInfo order = client.enqueue(ORDER, new Order("tea", 2)).orThrow();
      TaskInfo done = client.awaitResult("shop", order.id(), ofSeconds(10)).orElseThrow();
      System.out.println("result: " + done.result().utf8());
    }
  }
}
