package io.asynq4j.service.gearman.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.service.gearman.GearmanConfig;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FunctionRegistryIT {

  private final AtomicInteger readings = new AtomicInteger();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch answered = new CountDownLatch(1);

  /** The first two find no definition, and the second is answered last. */
  private Map<String, TaskDefinition> read() {
    int reading = readings.incrementAndGet();
    if (reading == 2) {
      begun.countDown();
      try {
        answered.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return reading <= 2
        ? Map.of()
        : Map.of("a", TaskDefinition.builder("a", TaskKind.WORKER).build());
  }

  @Test
  void aReadingOfTheListThatIsNotAnsweredKeepsNoOtherWaiting() throws Exception {
    GearmanConfig config = GearmanConfig.builder().port(0).build();
    try (EmbeddedRedis server = EmbeddedRedis.builder().ephemeral().start();
        RedisConnection redis = RedisConnection.open(server.uri())) {
      FunctionRegistry functions = new FunctionRegistry(redis, config, this::read);
      CompletableFuture<Void> stuck = CompletableFuture.runAsync(functions::refresh);
      begun.await();

      CompletableFuture.runAsync(functions::refresh).get(60, TimeUnit.SECONDS);
      assertThat(functions.find("a")).isPresent();

      answered.countDown();
      stuck.get(60, TimeUnit.SECONDS);
      assertThat(functions.find("a")).as("what was read later counts").isPresent();
    }
  }
}
