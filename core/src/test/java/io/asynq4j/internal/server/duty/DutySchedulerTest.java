package io.asynq4j.internal.server.duty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Needs no Redis. */
class DutySchedulerTest {

  private final RedisConnection redis =
      RedisConnection.lazy(RedisConfig.parse("redis://127.0.0.1:1"));
  private final AtomicInteger created = new AtomicInteger();
  private final AtomicInteger failedStarts = new AtomicInteger();
  private final AtomicInteger runs = new AtomicInteger();
  private volatile boolean shortage;
  private volatile int available = 1;
  private final DutyScheduler duties = new DutyScheduler(shards(), this::thread);

  private ShardTopology shards() {
    Broker broker = BrokerConnection.brokerOf(redis);
    return new ShardTopology(
        broker.watches(),
        new OutageTracker(AttemptHosts.NO_LISTENERS, broker.clock()),
        Runnable::run);
  }

  /** Creates one thread at first: the pool behaves as if its other threads had ended. */
  private @Nullable Thread thread(Runnable task) {
    if (shortage) {
      failedStarts.incrementAndGet();
      throw new OutOfMemoryError("unable to create native thread, on purpose");
    }
    if (created.get() == available) {
      return null;
    }
    created.incrementAndGet();
    return new Thread(task, "duty-scheduler-test");
  }

  @AfterEach
  void stop() {
    shortage = false;
    duties.stop(Duration.ofSeconds(20));
    redis.close();
  }

  /** Lets a duty wait for the returned latch in its first run, which begins before this returns. */
  private CountDownLatch startDuty(Duration afterFirst, Duration afterOthers) throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    duties.add(
        Duration.ofHours(1),
        "duty",
        () -> {
          if (runs.incrementAndGet() > 1) {
            return afterOthers;
          }
          running.countDown();
          awaitQuietly(release);
          return afterFirst;
        });
    duties.start();
    running.await();
    return release;
  }

  @Test
  void aRunThatIsAddedTwiceForLackOfThreadsRunsOnce() throws Exception {
    CountDownLatch release = startDuty(Duration.ofMillis(10), Duration.ofHours(1));
    shortage = true;
    release.countDown();

    await().until(() -> runs.get() == 2);
    await().during(Duration.ofMillis(300)).until(() -> runs.get() == 2);
    assertThat(failedStarts).hasPositiveValue();
  }

  @Test
  void theLastThreadContinuesDuringALackOfThreadsAndIsJoinedByOthersAfterIt() throws Exception {
    CountDownLatch release = startDuty(Duration.ofMillis(10), Duration.ofMillis(10));
    shortage = true;
    release.countDown();
    await().until(() -> runs.get() > 5);
    assertThatThrownBy(duties::catchUp).isInstanceOf(OutOfMemoryError.class);
    int before = runs.get();
    await().until(() -> runs.get() > before + 5);
    assertThat(created).hasValue(1);

    shortage = false;
    available = 3;
    duties.catchUp();

    assertThat(created).hasValue(3);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
