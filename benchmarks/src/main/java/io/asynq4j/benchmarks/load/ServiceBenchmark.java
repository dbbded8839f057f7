package io.asynq4j.benchmarks.load;

import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.BlockingHttpClient;
import io.asynq4j.benchmarks.harness.ChildService;
import io.asynq4j.benchmarks.harness.LatencyRecorder;
import io.asynq4j.benchmarks.harness.Measurement;
import io.asynq4j.benchmarks.harness.ResourceUsage;
import io.asynq4j.benchmarks.report.LoadReport;
import io.asynq4j.benchmarks.report.Threshold;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * M: one replica of the task service in a child process, with producers and workers in this
 * process. Reports the resource usage of each, of the service and of Redis separately.
 */
@Command(
    name = "service",
    description = "M: enqueue, lease and complete tasks over HTTP, in batches of 50.")
final class ServiceBenchmark extends LoadBenchmark {

  private static final int BATCH = 50;

  /** Maximum number of waiting tasks, so that producers do not outrun the workers. */
  private static final int MAX_WAITING = 5_000;

  private static final int MAX_WARM_UPS = 12;
  private static final int INTERVALS = 5;

  /** Number of intervals without an improvement after which it is warm. */
  private static final int PATIENCE = 3;

  /** Factor by which an interval must be faster than all before to count as warming up. */
  private static final double GAIN = 1.05;

  private static final String TOKEN = "\"token\":\"";
  private static final String ID = "\"id\":\"";

  private static final double MB = 1_000_000.0;

  @Option(
      names = "--soak",
      paramLabel = "MINUTES",
      description =
          "Run for this many minutes and report the memory of the service and Redis over time."
              + " Default: no long run.")
  private int soakMinutes;

  @Option(
      names = "--producers",
      paramLabel = "N",
      description = "Number of producers. Default: ${DEFAULT-VALUE}.")
  private int producers = 2;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description = "Number of workers that lease and complete tasks. Default: ${DEFAULT-VALUE}.")
  private int workers = 4;

  /** Durations of requests. */
  private static final class Times {
    final LatencyRecorder submits = new LatencyRecorder();
    final LatencyRecorder leases = new LatencyRecorder();
    final LatencyRecorder completes = new LatencyRecorder();
    final LatencyRecorder pickUps = new LatencyRecorder();

    /** A long run would keep too many. */
    final boolean keepsTimes;

    Times(boolean keepsTimes) {
      this.keepsTimes = keepsTimes;
    }

    void time(LatencyRecorder latencies, long nanos) {
      if (keepsTimes) {
        latencies.add(nanos);
      }
    }
  }

  /** One interval. */
  private static final class Run {
    final Times times;
    final AtomicLong done = new AtomicLong();
    final AtomicLong leaseRequests = new AtomicLong();
    final AtomicBoolean stopped = new AtomicBoolean();
    final Semaphore room = new Semaphore(MAX_WAITING);
    final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    Run(Times times) {
      this.times = times;
    }
  }

  /**
   * Cost of a run.
   *
   * @param cell its JVM is that of the load program
   */
  private record Outcome(Measurement cell, long serviceMicros, long leaseRequests) {
    double serviceMicrosPerTask() {
      return serviceMicros / (double) Math.max(1, cell.tasks());
    }
  }

  @Override
  void measure(BenchmarkRedis redis, LoadReport report) throws Exception {
    try (ChildService service = ChildService.start(redis.uri())) {
      warmUp(redis, service, report);
      if (soakMinutes > 0) {
        soak(redis, service, report);
      } else {
        measure(redis, service, report);
      }
    }
  }

  /**
   * Runs until it gets no faster. Before that, the result depends on the JIT compiler, which takes
   * much of two CPUs while uncompiled code is many times slower.
   */
  private void warmUp(BenchmarkRedis redis, ChildService service, LoadReport report)
      throws Exception {
    Duration length = Duration.ofSeconds(size(5, 1));
    List<List<Object>> rows = new ArrayList<>();
    double best = 0;
    int slower = 0;
    for (int i = 1; i <= size(MAX_WARM_UPS, 1) && slower < PATIENCE; i++) {
      Outcome outcome = run(redis, service, length, new Run(new Times(/* keepsTimes= */ false)));
      double rate = outcome.cell().tasksPerSecond();
      rows.add(List.of(i * length.toSeconds(), rate, outcome.serviceMicrosPerTask()));
      slower = rate < GAIN * best ? slower + 1 : 0;
      best = Math.max(best, rate);
    }
    report.table(
        "While the JVM warms up",
        List.of("seconds since the start", "tasks/s", "service CPU µs/task"),
        rows);
  }

  /** Runs intervals and takes the median, because other machines may take CPU time for a while. */
  private void measure(BenchmarkRedis redis, ChildService service, LoadReport report)
      throws Exception {
    Times times = new Times(/* keepsTimes= */ true);
    List<Outcome> outcomes = new ArrayList<>();
    for (int i = 0; i < INTERVALS; i++) {
      outcomes.add(run(redis, service, Duration.ofSeconds(size(4, 1)), new Run(times)));
    }
    outcomes.sort(Comparator.comparingDouble(each -> each.cell().tasksPerSecond()));
    report(times, outcomes, report);
  }

  private void report(Times times, List<Outcome> outcomes, LoadReport report) {
    Outcome outcome = outcomes.get(outcomes.size() / 2);
    double rate = outcome.cell().tasksPerSecond();
    report.figure("tasksPerSecond", rate);
    List<String> columns = new ArrayList<>(List.of("operation"));
    columns.addAll(LatencyRecorder.COLUMNS);
    List<List<Object>> rows = new ArrayList<>();
    row(rows, "submit 50", times.submits);
    row(rows, "lease up to 50", times.leases);
    row(rows, "complete 50", times.completes);
    row(rows, "submitted to leased", times.pickUps);
    report.table("Requests", columns, rows);
    report.table(
        "One replica, %d producers and %d workers, median of %d intervals"
            .formatted(producers, workers, outcomes.size()),
        List.of(
            "tasks/s",
            "minimum to maximum",
            "tasks per lease",
            "Redis CPU µs/task",
            "service CPU µs/task",
            "load program CPU µs/task"),
        List.of(
            List.of(
                rate,
                "%,.0f to %,.0f"
                    .formatted(
                        outcomes.get(0).cell().tasksPerSecond(),
                        outcomes.get(outcomes.size() - 1).cell().tasksPerSecond()),
                outcome.cell().tasks() / (double) Math.max(1, outcome.leaseRequests()),
                outcome.cell().redisMicrosPerTask(),
                outcome.serviceMicrosPerTask(),
                outcome.cell().jvmMicrosPerTask())));
    report.bar(Threshold.atLeast("tasks/s submitted, leased and completed", rate, 20_000));
  }

  private static void row(List<List<Object>> rows, String what, LatencyRecorder latencies) {
    List<Object> row = new ArrayList<>(List.of(what));
    row.addAll(latencies.row());
    rows.add(row);
  }

  /** Memory of the service and Redis after a garbage collection, without load. */
  private record Level(double heapMb, double redisMb, int threads) {}

  private static Level level(BenchmarkRedis redis, ChildService service) {
    ChildService.Holding holding = service.holding();
    long redisBytes = Long.parseLong(redis.info("memory").getOrDefault("used_memory", "0"));
    return new Level(holding.heapBytes() / MB, redisBytes / MB, holding.threads());
  }

  /** Measures at the start, at least five times in between, and at the end. */
  private void soak(BenchmarkRedis redis, ChildService service, LoadReport report)
      throws Exception {
    int intervals = Math.max(6, soakMinutes);
    Duration length = Duration.ofMinutes(soakMinutes).dividedBy(intervals);
    List<List<Object>> rows = new ArrayList<>();
    List<Level> levels = new ArrayList<>();
    double rate = 0;
    for (int i = 0; i <= intervals; i++) {
      if (i > 0) {
        Run run = new Run(new Times(/* keepsTimes= */ false));
        rate = run(redis, service, length, run).cell().tasksPerSecond();
      }
      Level level = level(redis, service);
      levels.add(level);
      String minute = "%.1f".formatted(i * length.toSeconds() / 60.0);
      rows.add(
          List.of(minute, i == 0 ? "" : rate, level.heapMb(), level.redisMb(), level.threads()));
      progress(
          "minute %s: %,.0f tasks/s, heap %.1f MB, Redis %.1f MB, %d threads"
              .formatted(minute, rate, level.heapMb(), level.redisMb(), level.threads()));
    }
    report.figure("tasksPerSecond", rate);
    report.table(
        "A long run",
        List.of("minute", "tasks/s", "service heap MB", "Redis MB", "service threads"),
        rows);
    // The start is after the warm-up; caches and pools fill until the middle.
    Level middle = levels.get(levels.size() / 2);
    Level end = levels.get(levels.size() - 1);
    report.bar(
        Threshold.atMost(
            "heap at the end, times the heap in the middle", end.heapMb() / middle.heapMb(), 1.1));
    report.bar(
        Threshold.atMost(
            "Redis memory at the end, times that in the middle",
            end.redisMb() / middle.redisMb(),
            1.1));
  }

  private Outcome run(BenchmarkRedis redis, ChildService service, Duration length, Run run)
      throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < producers; i++) {
      threads.add(start(service, run, this::submit));
    }
    for (int i = 0; i < workers; i++) {
      threads.add(start(service, run, this::work));
    }
    ResourceUsage before = redis.usage();
    Duration cpuBefore = service.cpu();
    Thread.sleep(length.toMillis());
    ResourceUsage used = redis.usage().since(before);
    Outcome outcome =
        new Outcome(
            new Measurement(0, run.done.get(), used),
            service.cpu().minus(cpuBefore).toNanos() / 1_000,
            run.leaseRequests.get());
    run.stopped.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
    empty(service, run);
    Exception failure = run.failure.get();
    if (failure != null) {
      throw failure;
    }
    return outcome;
  }

  /** Completes the remaining tasks, so that the next run and memory measurement start empty. */
  private void empty(ChildService service, Run run) throws Exception {
    try (BlockingHttpClient http = new BlockingHttpClient(service.uri())) {
      long before;
      do {
        before = run.done.get();
        work(http, run);
      } while (run.done.get() > before);
    }
  }

  private interface Work {
    void once(BlockingHttpClient http, Run run) throws Exception;
  }

  private static Thread start(ChildService service, Run run, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try (BlockingHttpClient http = new BlockingHttpClient(service.uri())) {
                while (!run.stopped.get()) {
                  work.once(http, run);
                }
              } catch (Exception e) {
                run.failure.compareAndSet(null, e);
                run.stopped.set(true);
              }
            });
    thread.start();
    return thread;
  }

  private void submit(BlockingHttpClient http, Run run) throws Exception {
    if (!run.room.tryAcquire(BATCH, 100, TimeUnit.MILLISECONDS)) {
      return;
    }
    long begin = System.nanoTime();
    StringBuilder lines = new StringBuilder(BATCH * 120);
    for (int i = 0; i < BATCH; i++) {
      lines
          .append("{\"name\":\"work\",\"params\":{\"user\":42,\"what\":\"a small task\"},\"id\":\"")
          .append(begin)
          .append('-')
          .append(Thread.currentThread().getId())
          .append('-')
          .append(i)
          .append("\"}\n");
    }
    String answer = http.post("/v1/tasks", "application/x-ndjson", lines.toString());
    run.times.time(run.times.submits, System.nanoTime() - begin);
    if (!answer.startsWith("{\"status\":201")) {
      throw new IllegalStateException("a task was rejected: " + answer.lines().findFirst());
    }
  }

  private void work(BlockingHttpClient http, Run run) throws IOException {
    long begin = System.nanoTime();
    String leased =
        http.post(
            "/v1/lease",
            "application/json",
            "{\"names\":[\"work\"],\"max\":" + BATCH + ",\"wait\":\"1s\"}");
    long got = System.nanoTime();
    StringBuilder body = new StringBuilder(BATCH * 120).append("{\"tasks\":[");
    int count = 0;
    int at = 0;
    while ((at = leased.indexOf(TOKEN, at)) >= 0) {
      at += TOKEN.length();
      int end = leased.indexOf('"', at);
      body.append(count++ == 0 ? "" : ",")
          .append("{\"token\":\"")
          .append(leased, at, end)
          .append("\"}");
      int id = leased.indexOf(ID, end) + ID.length();
      run.times.time(
          run.times.pickUps, got - Long.parseLong(leased, id, leased.indexOf('-', id), 10));
    }
    if (count == 0) {
      return;
    }
    run.leaseRequests.incrementAndGet();
    run.times.time(run.times.leases, got - begin);
    begin = System.nanoTime();
    http.post("/v1/complete", "application/json", body.append("]}").toString());
    run.times.time(run.times.completes, System.nanoTime() - begin);
    run.done.addAndGet(count);
    run.room.release(count);
  }
}
