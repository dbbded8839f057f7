package io.asynq4j.service.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PendingTaskLimiterTest {

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger looks = new AtomicInteger();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch answered = new CountDownLatch(1);
  private final PendingTaskLimiter backlog = new PendingTaskLimiter(queue -> pending(), nanos::get);
  private final TaskDefinition definition =
      TaskDefinition.builder("a", TaskKind.WORKER).maxPending(3).build();

  /** The first read finds no tasks, and the second one task, when it is released. */
  private long pending() {
    if (looks.incrementAndGet() == 1) {
      return 0;
    }
    begun.countDown();
    try {
      answered.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return 1;
  }

  @Test
  void tasksAreCountedWithoutWaitingForALookThatIsUnderWay() throws Exception {
    assertThat(backlog.tryAdmit(definition)).isTrue();
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    CompletableFuture<Boolean> looking =
        CompletableFuture.supplyAsync(() -> backlog.tryAdmit(definition));
    begun.await();

    for (int i = 0; i < 2; i++) {
      assertThat(
              CompletableFuture.supplyAsync(() -> backlog.tryAdmit(definition))
                  .get(60, TimeUnit.SECONDS))
          .isTrue();
    }
    assertThat(backlog.tryAdmit(definition)).isFalse();

    answered.countDown();
    // It found one, and two were admitted meanwhile.
    assertThat(looking.get(60, TimeUnit.SECONDS)).isFalse();

    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(backlog.tryAdmit(definition)).isTrue();
    assertThat(backlog.tryAdmit(definition)).isTrue();
    assertThat(backlog.tryAdmit(definition)).isFalse();
    assertThat(looks).hasValue(3);
  }

  @Test
  void aDefinitionWithoutALimitIsNotChecked() {
    assertThat(backlog.tryAdmit(TaskDefinition.builder("b", TaskKind.WORKER).build())).isTrue();
    assertThat(looks).hasValue(0);
  }
}
