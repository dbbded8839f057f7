package io.asynq4j.service.gearman.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.service.gearman.protocol.GearmanException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PendingJobLimiterTest {

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger looks = new AtomicInteger();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch answered = new CountDownLatch(1);
  private final PendingJobLimiter backlog = new PendingJobLimiter(queue -> pending(), nanos::get);
  private final TaskDefinition definition =
      TaskDefinition.builder("a", TaskKind.WORKER).maxPending(3).build();

  /** The first look finds none, and the second one task, when it is let. */
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
  void jobsAreCountedWithoutWaitingForALookThatIsUnderWay() throws Exception {
    backlog.admit(definition);
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    CompletableFuture<Void> looking = CompletableFuture.runAsync(() -> backlog.admit(definition));
    begun.await();

    for (int i = 0; i < 2; i++) {
      CompletableFuture.runAsync(() -> backlog.admit(definition)).get(60, TimeUnit.SECONDS);
    }
    assertThatThrownBy(() -> backlog.admit(definition)).isInstanceOf(GearmanException.class);

    answered.countDown();
    // It found one, and two were admitted meanwhile.
    assertThatThrownBy(() -> looking.get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(GearmanException.class);

    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThatCode(() -> backlog.admit(definition)).doesNotThrowAnyException();
    assertThatCode(() -> backlog.admit(definition)).doesNotThrowAnyException();
    assertThatThrownBy(() -> backlog.admit(definition)).isInstanceOf(GearmanException.class);
    assertThat(looks).hasValue(3);
  }
}
