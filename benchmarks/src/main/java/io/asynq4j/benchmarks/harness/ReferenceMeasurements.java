package io.asynq4j.benchmarks.harness;

import io.asynq4j.QueueName;
import io.asynq4j.benchmarks.harness.BareClient.Taken;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Reference values, measured in the same run. */
public final class ReferenceMeasurements {

  private static final int LARGEST_BATCH = 200;
  private static final int NAIVE_WORKERS = 10;

  private ReferenceMeasurements() {}

  /**
   * L(c), the limit: a thread that claims and a thread that settles, each with one call in flight,
   * in batches of min(c, 200).
   */
  public static Measurement limit(BenchmarkRedis redis, String uri, int tasks, int concurrency) {
    QueueName queue = redis.newQueue();
    BenchmarkTasks.fill(redis, List.of(queue), tasks);
    int batch = Math.min(concurrency, LARGEST_BATCH);
    BlockingQueue<Taken> handOver = new ArrayBlockingQueue<>(1);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (BareClient claimer = new BareClient(uri, queue);
        BareClient settler = new BareClient(uri, queue)) {
      ResourceUsage before = redis.usage();
      Future<?> settling =
          thread.submit(
              () -> {
                for (int settled = 0; settled < tasks; ) {
                  Taken taken = handOver.take();
                  settler.complete(taken);
                  settled += taken.ids().size();
                }
                return null;
              });
      for (int claimed = 0; claimed < tasks; ) {
        Taken taken = claimer.claim(batch);
        claimed += taken.ids().size();
        while (!handOver.offer(taken, 1, TimeUnit.SECONDS)) {
          if (settling.isDone()) {
            // The other thread has failed and will not claim any more.
            settling.get();
          }
        }
      }
      settling.get();
      return new Measurement(0, tasks, redis.usage().since(before));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("the bare client failed", e.getCause());
    } finally {
      thread.shutdownNow();
    }
  }

  /** N, the naive loop: one script call per task, one fetcher, ten workers. */
  public static Measurement naive(BenchmarkRedis redis, String uri, int tasks) {
    QueueName queue = redis.newQueue();
    BenchmarkTasks.fill(redis, List.of(queue), tasks);
    List<BareClient> clients = new ArrayList<>();
    BlockingQueue<BareClient> idle = new LinkedBlockingQueue<>();
    AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    ExecutorService workers = Executors.newFixedThreadPool(NAIVE_WORKERS);
    try (BareClient fetcher = new BareClient(uri, queue)) {
      for (int i = 0; i < NAIVE_WORKERS; i++) {
        clients.add(new BareClient(uri, queue));
      }
      idle.addAll(clients);
      ResourceUsage before = redis.usage();
      for (int i = 0; i < tasks && failure.get() == null; i++) {
        BareClient worker = idle.take();
        Taken taken = fetcher.claim(1);
        workers.execute(
            () -> {
              try {
                worker.complete(taken);
              } catch (RuntimeException e) {
                failure.set(e);
              }
              idle.add(worker);
            });
      }
      for (int i = 0; i < NAIVE_WORKERS; i++) {
        idle.take();
      }
      if (failure.get() != null) {
        throw new IllegalStateException("the bare client failed", failure.get());
      }
      return new Measurement(0, tasks, redis.usage().since(before));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } finally {
      workers.shutdownNow();
      clients.forEach(BareClient::close);
    }
  }

  /** Round-trip time of Redis. */
  public static LatencyRecorder roundTrips(BenchmarkRedis redis, String uri, int count) {
    return roundTrips(redis, uri, count, () -> {});
  }

  /** Round-trip time after a pause: a machine that was idle answers more slowly. */
  public static LatencyRecorder roundTrips(
      BenchmarkRedis redis, String uri, int count, Runnable before) {
    LatencyRecorder times = new LatencyRecorder();
    try (BareClient client = new BareClient(uri, redis.newQueue())) {
      for (int i = 0; i < count * 2; i++) {
        before.run();
        long sent = System.nanoTime();
        client.ping();
        // The first half warms up.
        if (i >= count) {
          times.add(System.nanoTime() - sent);
        }
      }
    }
    return times;
  }
}
