package io.asynq4j.examples;

import static java.time.Duration.ofSeconds;

import io.asynq4j.Task;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.ServerState;
import io.asynq4j.server.TaskServer;
import java.util.concurrent.CountDownLatch;

/** A stop waits for what runs; what does not end in time goes back to the head of its queue. */
public final class GracefulShutdown {

  private GracefulShutdown() {}

  public static void main(String[] arguments) throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    try (RedisConnection redis = RedisConnection.open(arguments[0]);
        TaskClient client = TaskClient.create(redis)) {
      TaskServer server =
          TaskServer.builder(redis)
              .shutdownTimeout(ofSeconds(5))
              .handlers(
                  (task, context) -> {
                    started.countDown();
                    Thread.sleep(500); // the work
                    System.out.println("the work is done");
                    return Outcome.done();
                  })
              .build();
      server.start();
      client.enqueue(Task.of("work"));
      started.await();

      server.quiet(); // claims nothing more: what a deploy does first
      System.out.println("quiet, and " + server.running() + " task still runs");
      server.stop(); // server.run() does this on TERM and INT
      System.out.println("closed: " + (server.state() == ServerState.CLOSED));
    }
  }
}
