package io.asynq4j.internal.server.settle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SettlementThreadPoolsTest {

  private final SettlementThreadPools threads =
      new SettlementThreadPools(
          task -> {
            Thread thread = new Thread(task, "settler-threads-test");
            thread.setDaemon(true);
            return thread;
          });

  @AfterEach
  void end() {
    threads.close().forEach(pool -> pool.shutdownNow());
  }

  @Test
  void queuesWhoseSettlementsFailTakeNoThreadsFromOthers() throws InterruptedException {
    for (int i = 0; i < 10; i++) {
      threads.of("").execute(() -> threads.rest("", TimeUnit.HOURS.toNanos(1)));
    }
    CountDownLatch settled = new CountDownLatch(1);

    threads.of("").execute(settled::countDown);

    assertThat(settled.await(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aServerOfRedisThatIsSilentTakesNoThreadsFromOthers() throws InterruptedException {
    CountDownLatch silence = new CountDownLatch(1);
    for (int i = 0; i < 10; i++) {
      threads.of("silent").execute(() -> awaitQuietly(silence));
    }
    CountDownLatch settled = new CountDownLatch(1);

    threads.of("healthy").execute(settled::countDown);

    assertThat(settled.await(20, TimeUnit.SECONDS)).isTrue();
    silence.countDown();
  }

  @Test
  void aTaskWhoseThreadsHaveAllEndedRunsAfterTheNextCheck() throws InterruptedException {
    AtomicBoolean shortage = new AtomicBoolean();
    SettlementThreadPools scarce =
        new SettlementThreadPools(
            task -> {
              if (shortage.get()) {
                throw new OutOfMemoryError("unable to create native thread, on purpose");
              }
              return new Thread(
                  () -> {
                    try {
                      task.run();
                    } catch (OutOfMemoryError e) {
                      // The thread ends, as it would if the JVM had no memory for the pool.
                    }
                  });
            });
    SettlementThreadPools.Group group = scarce.of("any");
    CountDownLatch fail = new CountDownLatch(1);
    for (int i = 0; i < group.getCorePoolSize(); i++) {
      group.execute(
          () -> {
            awaitQuietly(fail);
            throw new OutOfMemoryError("on purpose");
          });
    }
    CountDownLatch settled = new CountDownLatch(1);
    scarce.execute("any", settled::countDown);
    shortage.set(true);
    fail.countDown();
    await().until(() -> group.getPoolSize() == 0);
    shortage.set(false);

    scarce.catchUp();

    assertThat(settled.await(20, TimeUnit.SECONDS)).isTrue();
    scarce.close();
  }

  @Test
  void theThreadsOfAServerAreThereBeforeAnythingIsSettled() {
    assertThat(threads.of("any").getPoolSize()).isEqualTo(threads.of("any").getCorePoolSize());
    assertThat(threads.of("any").allowsCoreThreadTimeOut()).isFalse();
  }

  @Test
  void aServerWithoutThreadsIsReportedUntilTheyCanBeStarted() {
    AtomicBoolean shortage = new AtomicBoolean(true);
    SettlementThreadPools scarce =
        new SettlementThreadPools(
            task -> {
              if (shortage.get()) {
                throw new OutOfMemoryError("unable to create native thread, on purpose");
              }
              Thread thread = new Thread(task, "settler-threads-test");
              thread.setDaemon(true);
              return thread;
            });

    assertThatThrownBy(() -> scarce.of("any")).isInstanceOf(OutOfMemoryError.class);
    shortage.set(false);

    assertThat(scarce.of("any").getPoolSize()).isPositive();
    scarce.close();
  }

  @Test
  void whereNoMoreThreadsCanBeHadOnesThatExistDoIt() throws InterruptedException {
    AtomicInteger started = new AtomicInteger();
    SettlementThreadPools scarce =
        new SettlementThreadPools(
            task -> {
              if (started.getAndIncrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread, on purpose");
              }
              Thread thread = new Thread(task, "settler-threads-test");
              thread.setDaemon(true);
              return thread;
            });
    CountDownLatch settled = new CountDownLatch(2);

    scarce.execute("any", settled::countDown);
    scarce.execute("any", settled::countDown);

    assertThat(settled.await(1, TimeUnit.MINUTES)).isTrue();
    scarce.close();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
