package io.asynq4j.service.definition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DefinitionRefresherTest {

  @Test
  void neitherAnExceptionNorAnErrorEndsIt() throws Exception {
    CountDownLatch runs = new CountDownLatch(4);
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try {
      var unused =
          timer.scheduleWithFixedDelay(
              new DefinitionRefresher(
                  () -> {
                    runs.countDown();
                    if (runs.getCount() % 2 == 0) {
                      throw new IllegalStateException("as Redis may be");
                    }
                    throw new OutOfMemoryError("as there may be");
                  }),
              0,
              1,
              TimeUnit.MILLISECONDS);
      assertThat(runs.await(1, TimeUnit.MINUTES)).isTrue();
    } finally {
      timer.shutdownNow();
    }
  }
}
