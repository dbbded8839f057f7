package io.asynq4j.dashboard;

import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A server of the queue mail whose handler does not end until it is released. */
public final class StuckServer implements AutoCloseable {

  private final CountDownLatch begun = new CountDownLatch(1);
  private final TaskServer server;

  public StuckServer(RedisConnection redis) {
    server =
        TaskServer.builder(redis)
            .queue("mail", 1)
            .timing(timing -> timing.heartbeat(Duration.ofMillis(500)))
            .handlers(
                (task, context) -> {
                  begun.countDown();
                  new CountDownLatch(1).await();
                  return Outcome.done();
                })
            .build();
    server.start();
  }

  /** Waits until it runs a task. */
  public void awaitBegun() throws InterruptedException {
    begun.await();
  }

  @Override
  public void close() {
    server.close();
  }
}
