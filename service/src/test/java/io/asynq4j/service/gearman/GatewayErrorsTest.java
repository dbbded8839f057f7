package io.asynq4j.service.gearman;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.service.executor.KeyedBatchExecutor;
import io.asynq4j.service.executor.ServerThreadPools;
import io.asynq4j.service.gearman.protocol.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The threads of a gateway after errors such as a lack of memory. */
class GatewayErrorsTest {

  private final CountDownLatch done = new CountDownLatch(1);
  private final AtomicBoolean isScarce = new AtomicBoolean();

  private static OutOfMemoryError shortage() {
    return new OutOfMemoryError("on purpose");
  }

  private void assertDone() throws InterruptedException {
    assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void theLoopContinuesAfterAnErrorInAStep() throws Exception {
    EventLoop loop =
        new EventLoop(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100, 1 << 20);
    loop.start(
        connection -> {
          throw shortage();
        });
    try {
      loop.execute(
          () -> {
            throw shortage();
          });
      loop.execute(done::countDown);

      assertDone();
    } finally {
      loop.close();
    }
  }

  @Test
  void aBatchExecutorGoesOnAfterAnErrorInItsWork() throws Exception {
    KeyedBatchExecutor<String, String> executor =
        KeyedBatchExecutor.perServer(
            "test",
            1,
            (lane, batch) -> {
              if (batch.equals(List.of("bad"))) {
                throw shortage();
              }
              done.countDown();
            });

    assertThat(executor.add("", "bad")).isTrue();
    assertThat(executor.add("", "good")).isTrue();

    assertDone();
    executor.close(Duration.ofSeconds(30));
  }

  @Test
  void whereNoThreadCanBeHadTheTaskIsRejected() {
    ServerThreadPools threads =
        new ServerThreadPools(
            task -> {
              throw shortage();
            },
            1);

    assertThatThrownBy(() -> threads.execute("", done::countDown))
        .isInstanceOf(RejectedExecutionException.class)
        .hasRootCauseMessage("on purpose");
  }

  @Test
  void whereNoOtherThreadCanBeHadTheTaskRunsOnOneThatExists() throws Exception {
    ServerThreadPools threads = new ServerThreadPools(this::thread, 2);
    CountDownLatch release = new CountDownLatch(1);
    threads.execute(
        "",
        () -> {
          awaitQuietly(release);
          throw shortage();
        });
    isScarce.set(true);

    threads.execute("", done::countDown);
    release.countDown();

    assertDone();
    threads.close(Duration.ofSeconds(30));
  }

  @Test
  void aTaskThatWaitsForAThreadGetsAnotherOneLater() throws Exception {
    ServerThreadPools threads = new ServerThreadPools(this::thread, 2);
    CountDownLatch release = new CountDownLatch(1);
    threads.execute("", () -> awaitQuietly(release));
    isScarce.set(true);
    threads.execute("", done::countDown);
    threads.catchUp();
    isScarce.set(false);

    threads.catchUp();

    assertDone();
    release.countDown();
    threads.close(Duration.ofSeconds(30));
  }

  private Thread thread(Runnable task) {
    if (isScarce.get()) {
      throw shortage();
    }
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    return thread;
  }
}
