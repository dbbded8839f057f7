package io.asynq4j.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.asynq4j.TaskType;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** A scheduler can be started again, with its entries. */
class SchedulerRestartIT {

  @Test
  void aStoppedSchedulerContinuesWhenItIsStartedAgain() throws InterruptedException {
    BlockingQueue<String> fired = new LinkedBlockingQueue<>();
    try (EmbeddedRedis embedded = EmbeddedRedis.builder().ephemeral().start();
        RedisConnection redis = RedisConnection.open(embedded.uri());
        Scheduler scheduler =
            Scheduler.builder(redis)
                .add("often", Schedule.every(Duration.ofSeconds(1)), TaskType.of("t"))
                .listener(
                    new SchedulerListener() {
                      @Override
                      public void beforeEnqueue(Firing firing) {
                        fired.add("fired");
                      }
                    })
                .build()) {
      scheduler.start();
      assertThatIllegalStateException()
          .isThrownBy(scheduler::start)
          .withMessage(
              "the scheduler runs already, or is still stopping; stop it before you start it again");
      fired.take();
      scheduler.stop();
      assertThat(scheduler.isLeading()).isFalse();
      fired.clear();

      scheduler.start();

      fired.take();
      await().until(scheduler::isLeading);
      scheduler.stop();
      scheduler.stop();
    }
  }
}
