package io.asynq4j.service.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.QueueName;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

class KeyedBatchExecutorTest {

  private static final int MAX_THREADS = 3;
  private static final QueueName QUEUE = QueueName.of("a");

  private final List<Integer> done = new CopyOnWriteArrayList<>();

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    return thread;
  }

  /** The server of a queue is named by the first letter of the queue. */
  private static KeyedBatchExecutor<QueueName, Integer> lanes(
      ThreadFactory threads, int max, BiConsumer<QueueName, List<Integer>> work) {
    return new KeyedBatchExecutor<>(
        new ServerThreadPools(threads, MAX_THREADS),
        (queue, item) -> queue.value().substring(0, 1),
        max,
        work);
  }

  @Test
  void aQueueIsDealtWithAgainAfterThereWasNoThreadForIt() {
    AtomicBoolean scarce = new AtomicBoolean(true);
    ThreadFactory threads =
        task -> {
          if (scarce.get()) {
            throw new OutOfMemoryError("no thread, on purpose");
          }
          return daemon(task);
        };
    KeyedBatchExecutor<QueueName, Integer> lanes =
        lanes(threads, 10, (queue, batch) -> done.addAll(batch));
    assertThat(lanes.add(QUEUE, 1)).isFalse();
    assertThat(lanes.isBusy(QUEUE)).isFalse();
    scarce.set(false);
    assertThat(lanes.add(QUEUE, 2)).isTrue();
    await().until(() -> done.equals(List.of(2)));
    lanes.close(Duration.ofSeconds(30));
  }

  @Test
  void aQueueIsDealtWithAgainAfterAnError() {
    KeyedBatchExecutor<QueueName, Integer> lanes =
        lanes(
            KeyedBatchExecutorTest::daemon,
            1,
            (queue, batch) -> {
              if (batch.contains(1)) {
                throw new StackOverflowError("on purpose");
              }
              done.addAll(batch);
            });
    assertThat(lanes.add(QUEUE, 1)).isTrue();
    assertThat(lanes.add(QUEUE, 2)).isTrue();
    await().until(() -> done.equals(List.of(2)));
    await().until(() -> !lanes.isBusy(QUEUE));
    lanes.close(Duration.ofSeconds(30));
  }

  @Test
  void manyQueuesShareABoundedNumberOfThreads() {
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    CountDownLatch release = new CountDownLatch(1);
    KeyedBatchExecutor<QueueName, Integer> lanes =
        lanes(
            task -> {
              Thread thread = daemon(task);
              threads.add(thread);
              return thread;
            },
            10,
            (queue, batch) -> {
              try {
                release.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              done.addAll(batch);
            });
    int queues = 2 * MAX_THREADS;
    for (int i = 0; i < queues; i++) {
      assertThat(lanes.add(QueueName.of("queue-" + i), i)).isTrue();
    }
    assertThat(threads).hasSize(MAX_THREADS);
    release.countDown();
    await().until(() -> done.size() == queues);
    lanes.close(Duration.ofSeconds(30));
  }

  @Test
  void queuesOfOneServerTakeNoThreadsFromQueuesOfAnother() {
    CountDownLatch release = new CountDownLatch(1);
    KeyedBatchExecutor<QueueName, Integer> lanes =
        lanes(
            KeyedBatchExecutorTest::daemon,
            10,
            (queue, batch) -> {
              if (queue.value().startsWith("silent")) {
                try {
                  release.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              }
              done.addAll(batch);
            });
    for (int i = 0; i < 2 * MAX_THREADS; i++) {
      assertThat(lanes.add(QueueName.of("silent-" + i), i)).isTrue();
    }
    assertThat(lanes.add(QueueName.of("healthy"), -1)).isTrue();
    await().until(() -> done.equals(List.of(-1)));
    release.countDown();
    await().until(() -> done.size() == 2 * MAX_THREADS + 1);
    lanes.close(Duration.ofSeconds(30));
  }
}
