package io.asynq4j.examples;

import static java.time.Duration.ofMillis;

import io.asynq4j.RetryPolicy;
import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** Throwing costs a retry, snoozing does not. */
public final class RetriesAndSnooze {

  static final TaskType<Void> FLAKY = TaskType.of("flaky").with(o -> o.maxRetry(3));

  private RetriesAndSnooze() {}

  public static void main(String[] arguments) throws InterruptedException {
    AtomicBoolean snoozed = new AtomicBoolean();
    CountDownLatch done = new CountDownLatch(1);
    Mux handlers =
        Mux.builder()
            .handle(
                FLAKY,
                (nothing, context) -> {
                  if (context.retryCount() == 0) {
                    System.out.println("first attempt: fails");
                    throw new IllegalStateException("the mail server is away");
                  }
                  if (snoozed.compareAndSet(false, true)) {
                    System.out.println("retry " + context.retryCount() + ": not yet");
                    return Outcome.snooze(ofMillis(200));
                  }
                  System.out.println("retry " + context.retryCount() + ": done");
                  done.countDown();
                  return Outcome.done();
                })
            .build();

    try (RedisConnection redis = RedisConnection.open(arguments[0]);
        TaskClient client = TaskClient.create(redis);
        TaskServer server =
            TaskServer.builder(redis)
                .retryPolicy(RetryPolicy.exponential(ofMillis(100), ofMillis(500)))
                .handlers(handlers)
                .build()) {
      server.start();
      client.enqueue(FLAKY);
      done.await();
    }
  }
}
