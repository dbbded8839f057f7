package io.asynq4j.server;

import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A process that runs a server until a signal ends it; started by {@link ProcessSignalsIT}. */
final class ProcessSignalsMain {

  private ProcessSignalsMain() {}

  public static void main(String[] arguments) {
    try (RedisConnection redis = RedisConnection.open(arguments[0])) {
      ServerFixture.quick(
              redis,
              (task, context) -> {
                if (context.id().equals("stuck")) {
                  new CountDownLatch(1).await();
                }
                return Outcome.done();
              })
          .shutdownTimeout(Duration.ofMinutes(5))
          .build()
          .run();
    }
    // Only a server that has stopped lets the process get here.
    System.out.println("ended in order");
  }
}
