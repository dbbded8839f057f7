package io.asynq4j.service.definition;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How the middleware reads definitions. */
class FollowUpMiddlewareTest {

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger reads = new AtomicInteger();
  private final CountDownLatch silent = new CountDownLatch(1);
  private final CountDownLatch begun = new CountDownLatch(1);

  /** The first read returns at once, the second when it is released. */
  private Map<String, TaskDefinition> read() {
    if (reads.incrementAndGet() == 2) {
      begun.countDown();
      try {
        silent.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return Map.of("a", TaskDefinition.builder("a", TaskKind.WORKER).build());
  }

  @Test
  void aLookupDoesNotWaitForARefreshByAnotherThread() throws Exception {
    FollowUpMiddleware.RecentDefinitions recent =
        new FollowUpMiddleware.RecentDefinitions(this::read, nanos::get);
    assertThat(recent.apply("a")).isPresent();
    assertThat(recent.apply("b")).isEmpty();
    assertThat(reads).hasValue(1);
    nanos.addAndGet(Duration.ofSeconds(3).toNanos());
    CompletableFuture<?> reader = CompletableFuture.supplyAsync(() -> recent.apply("a"));
    begun.await();
    assertThat(CompletableFuture.supplyAsync(() -> recent.apply("a")).get(30, TimeUnit.SECONDS))
        .isPresent();
    silent.countDown();
    reader.get(30, TimeUnit.SECONDS);
    assertThat(reads).hasValue(2);
  }
}
