package io.asynq4j.dashboard.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.dashboard.DashboardFixture;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which viewers share a snapshot of Redis. */
class SnapshotPollerIT {

  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  private final CompletableFuture<RedisSnapshot> answer = new CompletableFuture<>();

  @Test
  void aReaderDoesNotGetAPollThatStartedBeforeItsChange() throws Exception {
    on.enqueue("a");
    CountDownLatch looking = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    try (SnapshotPoller watch =
        watch(
            (before, now) -> {
              looking.countDown();
              await(goOn);
            })) {
      looking.await();
      on.enqueue("b");
      watch.markChanged();
      Thread asking = ask(watch);
      Awaitility.await().until(() -> asking.getState() == Thread.State.TIMED_WAITING);

      goOn.countDown();

      assertThat(answer.get(30, TimeUnit.SECONDS).queues()).containsOnlyKeys("a", "b");
    }
  }

  @Test
  void aReaderWaitsForARunningPollThatSeesTheLastChange() throws Exception {
    on.enqueue("a");
    AtomicInteger looks = new AtomicInteger();
    CountDownLatch looking = new CountDownLatch(2);
    CountDownLatch goOn = new CountDownLatch(1);
    try (SnapshotPoller watch =
        watch(
            (before, now) -> {
              looks.incrementAndGet();
              looking.countDown();
              if (looks.get() == 2) {
                await(goOn);
              }
            })) {
      watch.fresh();
      on.enqueue("b");
      watch.markChanged();
      Thread first = new Thread(watch::fresh);
      first.start();
      looking.await();
      Thread asking = ask(watch);
      Awaitility.await().until(() -> asking.getState() == Thread.State.TIMED_WAITING);

      goOn.countDown();

      assertThat(answer.get(30, TimeUnit.SECONDS).queues()).containsOnlyKeys("a", "b");
      first.join();
      watch.fresh();
      assertThat(looks).hasValue(2);
    }
  }

  @Test
  void pollingContinuesAfterAnError() {
    on.enqueue("a");
    AtomicInteger looks = new AtomicInteger();
    AtomicInteger pauses = new AtomicInteger();
    AtomicInteger times = new AtomicInteger();
    Clock clock =
        new Clock() {
          @Override
          public Instant instant() {
            boolean unused = failsFirst(times, 2);
            return on.redis.clock().instant();
          }

          @Override
          public ZoneId getZone() {
            return ZoneOffset.UTC;
          }

          @Override
          public Clock withZone(ZoneId zone) {
            return this;
          }
        };
    try (SnapshotPoller watch =
        watch(
            clock,
            () -> failsFirst(pauses, 2),
            (before, now) -> {
              boolean unused = failsFirst(looks, 2);
            })) {
      for (String queue : List.of("b", "c", "d")) {
        on.enqueue(queue);
        Awaitility.await()
            .until(
                () -> {
                  watch.markChanged();
                  return watch.fresh().queues().containsKey(queue);
                });
      }
      Awaitility.await()
          .until(() -> looks.get() > 2 && pauses.get() > 2 && watch.fresh().problem() == null);
    }
  }

  private static boolean failsFirst(AtomicInteger calls, int failing) {
    if (calls.incrementAndGet() <= failing) {
      throw new OutOfMemoryError("by the test");
    }
    return true;
  }

  private Thread ask(SnapshotPoller watch) {
    Thread asking = new Thread(() -> answer.complete(watch.fresh()), "asking");
    asking.start();
    return asking;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static SnapshotPoller watch(BiConsumer<RedisSnapshot, RedisSnapshot> changed) {
    return watch(on.redis.clock(), () -> true, changed);
  }

  private static SnapshotPoller watch(
      Clock clock, BooleanSupplier isWatched, BiConsumer<RedisSnapshot, RedisSnapshot> changed) {
    SnapshotPoller watch =
        new SnapshotPoller(
            on.inspector,
            "a test",
            clock,
            Duration.ofMinutes(1),
            // However busy the machine is.
            Duration.ofMinutes(1),
            new ThroughputHistory(),
            new QueueSizeHistory(),
            isWatched,
            changed);
    watch.start();
    return watch;
  }
}
