package io.asynq4j.benchmarks.script;

import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.Measurement;
import io.asynq4j.benchmarks.harness.ResourceUsage;
import io.asynq4j.benchmarks.report.Table;
import io.asynq4j.internal.broker.NewTask;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;

/** Every script at every batch size, on an otherwise empty queue. */
final class ScriptThroughputBenchmark {

  private static final int THREADS = 10;

  private final BenchmarkRedis redis;
  private final ScriptBenchmarkScale scale;
  private final Predicate<Workload> wanted;
  private final Map<String, Double> scriptMicros = new LinkedHashMap<>();

  ScriptThroughputBenchmark(
      BenchmarkRedis redis, ScriptBenchmarkScale scale, Predicate<Workload> wanted) {
    this.redis = redis;
    this.scale = scale;
    this.wanted = wanted;
  }

  Table run() {
    List<List<Object>> rows = new ArrayList<>();
    int count = workloads().size();
    for (int i = 0; i < count; i++) {
      if (!wanted.test(workloads().get(i))) {
        continue;
      }
      warmUp(i);
      for (int batch : scale.batches()) {
        Workload workload = workloads().get(i);
        if (!workload.many() && batch > 1) {
          continue;
        }
        Measurement cell =
            workload.measure(redis, scale.calls(batch), batch, scale.cellTime().toNanos());
        scriptMicros.put(workload.name(), cell.scriptMicrosPerTask());
        rows.add(row(workload.name(), batch, cell));
      }
    }
    for (int batch : scale.batches()) {
      rows.add(row("enqueue, " + THREADS + " threads", batch, enqueueByMany(batch)));
    }
    redis.clear();
    return new Table(
        "Every script",
        List.of(
            "script",
            "tasks per call",
            "calls/s",
            "tasks/s",
            "Redis CPU µs/task",
            "of it in the script",
            "JVM CPU µs/task"),
        rows);
  }

  /** Time in the script per task, at the largest batch of each workload. */
  Map<String, Double> scriptMicros() {
    return scriptMicros;
  }

  private List<Workload> workloads() {
    redis.clear();
    return ScriptWorkloads.all(new TaskPreparer(redis), 0, () -> new TaskPreparer(redis));
  }

  private void warmUp(int number) {
    Workload workload = workloads().get(number);
    int batch = workload.many() ? 10 : 1;
    workload.measure(redis, scale.calls(batch) / 2, batch, scale.cellTime().toNanos() / 2);
  }

  private static List<Object> row(String name, int batch, Measurement cell) {
    return List.of(
        name,
        batch,
        cell.callsPerSecond(),
        cell.tasksPerSecond(),
        cell.redisMicrosPerTask(),
        cell.scriptMicrosPerTask(),
        cell.jvmMicrosPerTask());
  }

  private Measurement enqueueByMany(int batch) {
    redis.clear();
    TaskPreparer preparer = new TaskPreparer(redis);
    int calls = Math.max(1, scale.calls(batch) * 2 / THREADS);
    List<List<List<NewTask>>> perThread = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      List<List<NewTask>> ofThread = new ArrayList<>();
      for (int call = 0; call < calls; call++) {
        ofThread.add(preparer.tasks(batch, options -> options));
      }
      perThread.add(ofThread);
    }
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      // Open the connections of the pool before the measurement.
      await(
          submit(
              threads,
              perThread.stream().map(any -> preparer.tasks(1, o -> o)).map(List::of).toList()));
      ResourceUsage before = redis.usage();
      await(submit(threads, perThread));
      long done = (long) calls * THREADS;
      return new Measurement(done, done * batch, redis.usage().since(before));
    } finally {
      threads.shutdownNow();
    }
  }

  private List<Future<?>> submit(ExecutorService threads, List<List<List<NewTask>>> perThread) {
    List<Future<?>> futures = new ArrayList<>();
    for (List<List<NewTask>> calls : perThread) {
      futures.add(
          threads.submit(
              () ->
                  calls.forEach(
                      tasks -> TaskPreparer.require(redis.broker().enqueueing().enqueue(tasks)))));
    }
    return futures;
  }

  private static void await(List<Future<?>> futures) {
    try {
      for (Future<?> future : futures) {
        future.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("enqueue failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
