package io.asynq4j.internal.server.shard;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The Redis servers of the queues, with threads for work that must not wait for one of them. With
 * one server for all queues, its name is empty and no such thread is needed. Thread-safe.
 */
public record ShardTopology(StoreWatch watches, OutageTracker outages, Executor threads) {

  /** The name for keys that belong to no queue, if there are several servers. */
  private static final String SHARED_KEYS = "shared keys";

  public String of(QueueName queue) {
    return watches.shardOf(queue);
  }

  public Map<String, List<QueueName>> group(Collection<QueueName> queues) {
    return watches.byShard(queues);
  }

  /** Returns the name under which failures without a queue are recorded. */
  public String ofSharedKeys() {
    return of(QueueName.DEFAULT).isEmpty() ? "" : SHARED_KEYS;
  }

  /**
   * Runs a task after a pause, on one of the threads.
   *
   * @param failed called if that is not possible, for example for lack of threads, now or after the
   *     pause
   */
  public void executeLater(Runnable task, Duration pause, Consumer<Throwable> failed) {
    Executor guarded =
        delayed -> {
          try {
            threads.execute(delayed);
          } catch (RuntimeException | Error e) {
            // On the JDK's timer thread the exception would be lost.
            failed.accept(e);
          }
        };
    try {
      CompletableFuture.delayedExecutor(pause.toNanos(), TimeUnit.NANOSECONDS, guarded)
          .execute(task);
    } catch (RuntimeException | Error e) {
      failed.accept(e);
    }
  }
}
