package io.asynq4j.internal.client;

import io.asynq4j.QueueName;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The threads that send tasks on behalf of callers. Each Redis server of a cluster has a separate
 * pool, so that an unresponsive server delays only its queues. Thread-safe.
 */
public final class EnqueueThreadPools {

  private final Function<QueueName, String> shardOf;
  private final Function<String, ThreadPoolExecutor> pools;
  private final Map<String, ThreadPoolExecutor> byShard = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * @param shardOf the server that has a queue, from cached data; must not block
   * @param pools creates the threads of a server
   */
  public EnqueueThreadPools(
      Function<QueueName, String> shardOf, Function<String, ThreadPoolExecutor> pools) {
    this.shardOf = shardOf;
    this.pools = pools;
  }

  /** Returns the threads for a queue. */
  ExecutorService of(QueueName queue) {
    ThreadPoolExecutor pool = byShard.computeIfAbsent(shardOf.apply(queue), pools);
    if (closed) {
      pool.shutdown();
    }
    return pool;
  }

  /** Rejects new work and waits up to this long until all accepted work has run. */
  void close(Duration longest) throws InterruptedException {
    closed = true;
    List<ThreadPoolExecutor> all = List.copyOf(byShard.values());
    all.forEach(ExecutorService::shutdown);
    long end = System.nanoTime() + TimeMath.nanos(longest);
    for (ThreadPoolExecutor pool : all) {
      pool.awaitTermination(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    }
  }
}
