package io.asynq4j.benchmarks.script;

import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.ResourceUsage;
import io.asynq4j.benchmarks.report.Table;
import io.asynq4j.benchmarks.report.Threshold;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;

/**
 * Whether claiming and settling cost more when many tasks are active. Tasks are claimed and as many
 * settled in turn, so that their number stays constant. Each row settles them in another order.
 */
final class ActiveGrowthBenchmark {

  static final double LIMIT = 1.5;

  /** Maximum number of tasks in one script call. */
  private static final int MAX_PER_CALL = TaskPreparer.MAX_BATCH;

  /** Maximum number of tasks that are claimed before they are settled. */
  private static final int MAX_MORE = 200;

  private static final Duration DELAY = Duration.ofMinutes(10);

  /** Which of the active tasks are settled. */
  private enum Order {
    OLDEST("oldest first"),
    NEWEST("newest first"),
    RANDOM("in random order");

    private final String words;

    Order(String words) {
      this.words = words;
    }

    /** Removes tasks from a list with the oldest at the start. */
    List<Claim> take(List<Claim> active, int count) {
      List<Claim> taken = new ArrayList<>(count);
      if (this == RANDOM) {
        for (int i = 0; i < count; i++) {
          int place = ThreadLocalRandom.current().nextInt(active.size());
          taken.add(active.get(place));
          active.set(place, active.get(active.size() - 1));
          active.remove(active.size() - 1);
        }
      } else {
        List<Claim> part =
            this == OLDEST
                ? active.subList(0, count)
                : active.subList(active.size() - count, active.size());
        taken.addAll(part);
        part.clear();
      }
      return taken;
    }
  }

  /** A queue with this many active tasks, the oldest first. */
  private record Crowd(int size, TaskPreparer preparer, List<Claim> running) {}

  /** Cost of one round of an operation per task, by script name. */
  private interface Operation {
    Map<String, Double> run(Crowd crowd, int calls);
  }

  private final BenchmarkRedis redis;
  private final ScriptBenchmarkScale scale;
  private final List<Threshold> bars = new ArrayList<>();

  ActiveGrowthBenchmark(BenchmarkRedis redis, ScriptBenchmarkScale scale) {
    this.redis = redis;
    this.scale = scale;
  }

  List<Threshold> bars() {
    return bars;
  }

  Table run() {
    List<List<Object>> rows = new ArrayList<>();
    for (int batch : List.of(1, MAX_PER_CALL)) {
      for (Order order : Order.values()) {
        String script = "complete, " + order.words;
        rows.addAll(measure(batch, cycle(batch, order, script, TaskPreparer::complete)));
      }
      String script = "retry, " + Order.RANDOM.words;
      rows.addAll(measure(batch, cycle(batch, Order.RANDOM, script, ActiveGrowthBenchmark::retry)));
      rows.addAll(measure(batch, extend(batch)));
    }
    redis.clear();
    List<String> columns = new ArrayList<>(List.of("script", "tasks per call"));
    scale.active().forEach(size -> columns.add(Table.text(size) + " active"));
    columns.addAll(List.of("growth", "bar"));
    return new Table(
        "Growth with active tasks: Redis CPU µs per task, median of rounds", columns, rows);
  }

  private Crowd crowd(int size) {
    TaskPreparer preparer = new TaskPreparer(redis);
    return new Crowd(size, preparer, new ArrayList<>(preparer.active(size, TaskPreparer.LONG)));
  }

  /**
   * Measures the queues in turn, so that disturbances affect all of them. The queues are new each
   * time, because settling in random order leaves the list unordered.
   */
  private List<List<Object>> measure(int batch, Operation operation) {
    redis.clear();
    List<Crowd> crowds = scale.active().stream().map(this::crowd).toList();
    int calls = Math.max(1, MAX_MORE / batch);
    int rounds = Math.max(3, scale.calls(batch) / calls);
    Map<String, Map<Integer, List<Double>>> costs = new LinkedHashMap<>();
    for (int round = -1; round < rounds; round++) {
      for (Crowd crowd : crowds) {
        Map<String, Double> cost = operation.run(crowd, calls);
        if (round >= 0) {
          cost.forEach(
              (script, micros) ->
                  costs
                      .computeIfAbsent(script, any -> new LinkedHashMap<>())
                      .computeIfAbsent(crowd.size(), any -> new ArrayList<>())
                      .add(micros));
        }
      }
    }
    List<List<Object>> rows = new ArrayList<>();
    costs.forEach(
        (script, bySize) ->
            rows.add(
                row(
                    script,
                    batch,
                    bySize.values().stream().map(ActiveGrowthBenchmark::median).toList())));
    return rows;
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }

  private List<Object> row(String script, int batch, List<Double> figures) {
    double growth = figures.get(figures.size() - 1) / figures.get(0);
    List<Object> row = new ArrayList<>(List.of(script, batch));
    row.addAll(figures);
    row.add(growth);
    if (script.startsWith("claim")
        || (script.startsWith("complete") && !script.endsWith(Order.RANDOM.words))) {
      Threshold bar =
          Threshold.atMost(script + "/" + batch + ", growth with active tasks", growth, LIMIT);
      bars.add(bar);
      row.add(bar.result());
    } else {
      row.add("");
    }
    return row;
  }

  private Operation cycle(
      int batch, Order order, String script, BiConsumer<TaskPreparer, List<Claim>> settle) {
    return (crowd, calls) -> {
      crowd.preparer().pending(calls * batch);
      ResourceUsage start = redis.usage();
      for (int i = 0; i < calls; i++) {
        crowd.running().addAll(crowd.preparer().claim(batch, TaskPreparer.LONG));
      }
      ResourceUsage claimed = redis.usage();
      for (int i = 0; i < calls; i++) {
        settle.accept(crowd.preparer(), order.take(crowd.running(), batch));
      }
      ResourceUsage settled = redis.usage();
      double tasks = calls * batch;
      double settling = settled.since(claimed).redisCpuMicros() / tasks;
      return order == Order.OLDEST
          ? Map.of("claim", claimed.since(start).redisCpuMicros() / tasks, script, settling)
          : Map.of(script, settling);
    };
  }

  private static void retry(TaskPreparer preparer, List<Claim> claims) {
    preparer.settle(
        claims.stream()
            .map(claim -> new Settlement.Retry(claim, DELAY, "it failed", true, false))
            .toList(),
        TaskPreparer.KEEP_ALL);
  }

  private Operation extend(int batch) {
    return (crowd, calls) -> {
      ResourceUsage start = redis.usage();
      for (int i = 0; i < calls; i++) {
        List<Claim> some = anyOf(crowd.running(), batch);
        redis.broker().leases().extend(crowd.preparer().queue(), some, TaskPreparer.LONG);
      }
      double micros = redis.usage().since(start).redisCpuMicros();
      return Map.of("extend", micros / (calls * batch));
    };
  }

  private static List<Claim> anyOf(List<Claim> running, int count) {
    return ThreadLocalRandom.current()
        .ints(count, 0, running.size())
        .mapToObj(running::get)
        .toList();
  }
}
