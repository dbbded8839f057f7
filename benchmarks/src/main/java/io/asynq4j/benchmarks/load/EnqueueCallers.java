package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.benchmarks.harness.BareClient;
import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.BenchmarkTasks;
import io.asynq4j.benchmarks.harness.Measurement;
import io.asynq4j.benchmarks.harness.ResourceUsage;
import io.asynq4j.benchmarks.load.EnqueueBenchmark.Connected;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** Ways to enqueue, each measured on an empty queue with open connections. */
final class EnqueueCallers {

  private final BenchmarkRedis redis;

  EnqueueCallers(BenchmarkRedis redis) {
    this.redis = redis;
  }

  /** Bare clients, each on its own thread. */
  Measurement bare(int threads, int tasks, int batch) {
    QueueName queue = redis.newQueue();
    List<BareClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < threads; i++) {
        BareClient client = new BareClient(redis.uri(), queue);
        clients.add(client);
        client.enqueue(1);
      }
      int calls = Math.max(1, tasks / threads / batch);
      return measured(
          (long) calls * threads * batch,
          () ->
              together(
                  Executors.newFixedThreadPool(threads),
                  threads,
                  thread -> {
                    for (int i = 0; i < calls; i++) {
                      clients.get(thread).enqueue(batch);
                    }
                  }));
    } finally {
      clients.forEach(BareClient::close);
    }
  }

  /** Threads that share a client, each with one call at a time. */
  Measurement threads(int threads, int tasks) {
    try (Connected connected = Connected.to(redis.uri())) {
      return threads(connected, threads, tasks);
    }
  }

  private Measurement threads(Connected connected, int threads, int tasks) {
    QueueName queue = redis.newQueue();
    TaskClient client = connected.client();
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    int each = Math.max(1, tasks / threads);
    Caller call =
        thread -> {
          for (int i = 0; i < each; i++) {
            client.enqueue(BenchmarkTasks.request(queue, i)).orThrow();
          }
        };
    // The first calls open the connections.
    client.enqueue(BenchmarkTasks.request(queue, 0)).orThrow();
    return measured((long) each * threads, () -> together(executor, threads, call));
  }

  /** One thread that enqueues unique tasks, on a queue that already has some. */
  Measurement unique(QueueName queue, int tasks) {
    try (Connected connected = Connected.to(redis.uri())) {
      return measured(
          tasks,
          () -> {
            for (int i = 0; i < tasks; i++) {
              connected
                  .client()
                  .enqueue(BenchmarkTasks.request(queue, i, o -> o.uniqueFor(Duration.ofHours(1))))
                  .orThrow();
            }
          });
    }
  }

  /** One thread that waits only for the last responses. */
  Measurement async(int tasks) {
    QueueName queue = redis.newQueue();
    try (Connected connected = Connected.to(redis.uri())) {
      TaskClient client = connected.client();
      return measured(
          tasks,
          () -> {
            List<CompletionStage<EnqueueResult>> results = new ArrayList<>(tasks);
            for (int i = 0; i < tasks; i++) {
              results.add(client.enqueueAsync(BenchmarkTasks.request(queue, i)));
            }
            results.forEach(result -> result.toCompletableFuture().join().orThrow());
          });
    }
  }

  /** One thread, this many tasks per call. */
  Measurement all(int tasks, int batch) {
    QueueName queue = redis.newQueue();
    try (Connected connected = Connected.to(redis.uri())) {
      int calls = Math.max(1, tasks / batch);
      // Created in advance, because a bare client does not create tasks either.
      List<List<EnqueueRequest>> requests = new ArrayList<>(calls);
      for (int call = 0; call < calls; call++) {
        requests.add(
            IntStream.range(0, batch).mapToObj(i -> BenchmarkTasks.request(queue, i)).toList());
      }
      return measured(
          (long) calls * batch,
          () ->
              requests.forEach(
                  call -> connected.client().enqueueAll(call).forEach(EnqueueResult::orThrow)));
    }
  }

  private Measurement measured(long tasks, Runnable work) {
    ResourceUsage before = redis.usage();
    work.run();
    ResourceUsage used = redis.usage().since(before);
    redis.clear();
    return new Measurement(0, tasks, used);
  }

  /** Work of one of many callers. */
  interface Caller {
    void call(int number);
  }

  /** Runs callers concurrently and waits for all; shuts the executor down. */
  static void together(ExecutorService executor, int callers, Caller caller) {
    List<Callable<Void>> all = new ArrayList<>(callers);
    for (int i = 0; i < callers; i++) {
      int number = i;
      all.add(
          () -> {
            caller.call(number);
            return null;
          });
    }
    try {
      for (Future<Void> done : executor.invokeAll(all)) {
        done.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("enqueue failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } finally {
      executor.shutdownNow();
    }
  }
}
