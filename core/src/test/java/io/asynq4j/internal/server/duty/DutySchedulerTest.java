package io.asynq4j.internal.server.duty;

import static org.awaitility.Awaitility.await;

import io.asynq4j.fixture.AttemptHosts;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.internal.server.shard.OutageTracker;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Needs no Redis. */
class DutySchedulerTest {

  private final RedisConnection redis =
      RedisConnection.lazy(RedisConfig.parse("redis://127.0.0.1:1"));
  private final AtomicBoolean created = new AtomicBoolean();
  private final AtomicInteger failedStarts = new AtomicInteger();
  private final AtomicInteger runs = new AtomicInteger();
  private volatile boolean shortage;
  private final DutyScheduler duties = new DutyScheduler(shards(), this::thread);

  private ShardTopology shards() {
    Broker broker = BrokerConnection.brokerOf(redis);
    return new ShardTopology(
        broker.watches(),
        new OutageTracker(AttemptHosts.NO_LISTENERS, broker.clock()),
        Runnable::run);
  }

  /** Creates the first thread only: the pool behaves as if its other threads had ended. */
  private @Nullable Thread thread(Runnable task) {
    if (shortage) {
      failedStarts.incrementAndGet();
      throw new OutOfMemoryError("unable to create native thread, on purpose");
    }
    return created.getAndSet(true) ? null : new Thread(task, "duty-scheduler-test");
  }

  @AfterEach
  void stop() {
    shortage = false;
    duties.stop(Duration.ofSeconds(20));
    redis.close();
  }

  @Test
  void aDutyThatCouldNotBeScheduledForLackOfThreadsRunsOnceAfterIt() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    duties.add(
        Duration.ofHours(1),
        "duty",
        () -> {
          if (runs.incrementAndGet() > 1) {
            return Duration.ofHours(1);
          }
          running.countDown();
          awaitQuietly(release);
          return Duration.ofMillis(10);
        });
    duties.start();
    running.await();
    shortage = true;
    release.countDown();
    await().until(() -> failedStarts.get() >= 3);

    shortage = false;

    await().until(() -> runs.get() == 2);
    await().during(Duration.ofMillis(300)).until(() -> runs.get() == 2);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
