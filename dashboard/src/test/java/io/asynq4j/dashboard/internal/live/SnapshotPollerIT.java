package io.asynq4j.dashboard.internal.live;

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
    CountDownLatch polling = new CountDownLatch(1);
    CountDownLatch resume = new CountDownLatch(1);
    try (SnapshotPoller poller =
        startPoller(
            (before, now) -> {
              polling.countDown();
              await(resume);
            })) {
      polling.await();
      on.enqueue("b");
      poller.markChanged();
      Thread reading = read(poller);
      Awaitility.await().until(() -> reading.getState() == Thread.State.TIMED_WAITING);

      resume.countDown();

      assertThat(answer.get(30, TimeUnit.SECONDS).queues()).containsOnlyKeys("a", "b");
    }
  }

  @Test
  void aReaderWaitsForARunningPollThatSeesTheLastChange() throws Exception {
    on.enqueue("a");
    AtomicInteger polls = new AtomicInteger();
    CountDownLatch polling = new CountDownLatch(2);
    CountDownLatch resume = new CountDownLatch(1);
    try (SnapshotPoller poller =
        startPoller(
            (before, now) -> {
              polls.incrementAndGet();
              polling.countDown();
              if (polls.get() == 2) {
                await(resume);
              }
            })) {
      poller.fresh();
      on.enqueue("b");
      poller.markChanged();
      Thread first = new Thread(poller::fresh);
      first.start();
      polling.await();
      Thread reading = read(poller);
      Awaitility.await().until(() -> reading.getState() == Thread.State.TIMED_WAITING);

      resume.countDown();

      assertThat(answer.get(30, TimeUnit.SECONDS).queues()).containsOnlyKeys("a", "b");
      first.join();
      poller.fresh();
      assertThat(polls).hasValue(2);
    }
  }

  @Test
  void pollingContinuesAfterAnError() {
    on.enqueue("a");
    AtomicInteger polls = new AtomicInteger();
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
    try (SnapshotPoller poller =
        startPoller(
            clock,
            () -> failsFirst(pauses, 2),
            (before, now) -> {
              boolean unused = failsFirst(polls, 2);
            })) {
      for (String queue : List.of("b", "c", "d")) {
        on.enqueue(queue);
        Awaitility.await()
            .until(
                () -> {
                  poller.markChanged();
                  return poller.fresh().queues().containsKey(queue);
                });
      }
      Awaitility.await()
          .until(() -> polls.get() > 2 && pauses.get() > 2 && poller.fresh().problem() == null);
    }
  }

  private static boolean failsFirst(AtomicInteger calls, int failing) {
    if (calls.incrementAndGet() <= failing) {
      throw new OutOfMemoryError("by the test");
    }
    return true;
  }

  private Thread read(SnapshotPoller poller) {
    Thread reading = new Thread(() -> answer.complete(poller.fresh()), "reading");
    reading.start();
    return reading;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static SnapshotPoller startPoller(BiConsumer<RedisSnapshot, RedisSnapshot> changed) {
    return startPoller(on.redis.clock(), () -> true, changed);
  }

  private static SnapshotPoller startPoller(
      Clock clock, BooleanSupplier hasViewers, BiConsumer<RedisSnapshot, RedisSnapshot> changed) {
    SnapshotPoller poller =
        new SnapshotPoller(
            on.inspector,
            "a test",
            clock,
            Duration.ofMinutes(1),
            // However busy the machine is.
            Duration.ofMinutes(1),
            new ThroughputHistory(),
            new QueueSizeHistory(),
            hasViewers,
            changed);
    poller.start();
    return poller;
  }
}
