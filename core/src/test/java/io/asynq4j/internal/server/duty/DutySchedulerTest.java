package io.asynq4j.internal.server.duty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asynq4j.fixture.AttemptHosts;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.internal.server.shard.OutageTracker;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Needs no Redis. */
class DutySchedulerTest {

  private final RedisConnection redis =
      RedisConnection.lazy(RedisConfig.parse("redis://127.0.0.1:1"));
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
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

  private Thread thread(Runnable task) {
    if (shortage) {
      failedStarts.incrementAndGet();
      throw new OutOfMemoryError("unable to create native thread, on purpose");
    }
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (ThreadDeath e) {
                // As if the JVM had no memory to wait for the next duty.
              }
            },
            "duty-scheduler-test");
    threads.add(thread);
    return thread;
  }

  @AfterEach
  void stop() {
    shortage = false;
    duties.stop(Duration.ofSeconds(20));
    redis.close();
  }

  // Nothing else ends a thread of such a pool in the way that a lack of memory does.
  @SuppressWarnings({"deprecation", "removal", "ThreadStop"})
  private void endOtherThreads(Thread remaining) {
    for (Thread thread : threads) {
      if (!thread.equals(remaining)) {
        thread.stop();
      }
    }
    await().until(() -> threads.stream().allMatch(t -> t.equals(remaining) || !t.isAlive()));
  }

  @Test
  void aDutyThatCouldNotBeScheduledForLackOfThreadsRunsOnceAfterIt() throws Exception {
    assumeTrue(Runtime.version().feature() < 20, "a JDK that can end a thread");
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Thread[] remaining = new Thread[1];
    duties.add(
        Duration.ofHours(1),
        "duty",
        () -> {
          if (runs.incrementAndGet() > 1) {
            return Duration.ofHours(1);
          }
          remaining[0] = Thread.currentThread();
          running.countDown();
          awaitQuietly(release);
          return Duration.ofMillis(10);
        });
    duties.start();
    running.await();
    shortage = true;
    endOtherThreads(remaining[0]);
    int before = failedStarts.get();
    release.countDown();
    await().until(() -> failedStarts.get() >= before + 3);

    shortage = false;

    await().until(() -> runs.get() == 2);
    await().during(Duration.ofMillis(300)).until(() -> runs.get() == 2);
    assertThat(remaining[0].isAlive()).isTrue();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
