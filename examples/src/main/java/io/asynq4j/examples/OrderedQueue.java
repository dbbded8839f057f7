package io.asynq4j.examples;

import static java.time.Duration.ofMillis;

import io.asynq4j.RetryPolicy;
import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Mux;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import java.util.concurrent.CountDownLatch;

/** One at a time, in their order, over all servers: a task that fails holds the line. */
public final class OrderedQueue {

  static final TaskType<Integer> STEP =
      TaskType.of("ledger:step", Integer.class).with(o -> o.queue("ledger"));

  private OrderedQueue() {}

  public static void main(String[] arguments) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(5);
    Mux handlers =
        Mux.builder()
            .run(
                STEP,
                (step, context) -> {
                  if (step == 3 && context.retryCount() == 0) {
                    System.out.println("step 3 fails, and the others wait");
                    throw new IllegalStateException("not yet");
                  }
                  System.out.println("step " + step);
                  done.countDown();
                })
            .build();

    try (RedisConnection redis = RedisConnection.open(arguments[0]);
        TaskClient client = TaskClient.create(redis);
        TaskServer server =
            TaskServer.builder(redis)
                .queue("ledger")
                .queue("ledger", q -> q.ordered())
                .concurrency(10)
                .retryPolicy(RetryPolicy.fixed(ofMillis(100)))
                .handlers(handlers)
                .build()) {
      for (int step = 1; step <= 5; step++) {
        client.enqueue(STEP, step);
      }
      server.start();
      done.await();
    }
  }
}
