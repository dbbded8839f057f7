package io.asynq4j.benchmarks.script;

import static io.asynq4j.benchmarks.harness.RawScript.bytes;

import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.RawScript;
import io.asynq4j.benchmarks.report.Table;
import io.asynq4j.internal.broker.Claim;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Cost of remembering the answer of the last call in Redis: the same scripts with and without a
 * call number, in turn, by the median of the time in the script.
 */
final class LaneCostBenchmark {

  private static final int CALLS_IN_A_ROUND = 200;

  private final BenchmarkRedis redis;
  private final ScriptBenchmarkScale scale;

  LaneCostBenchmark(BenchmarkRedis redis, ScriptBenchmarkScale scale) {
    this.redis = redis;
    this.scale = scale;
  }

  Table run() {
    List<List<Object>> rows = new ArrayList<>();
    for (int batch : List.of(1, 10, 100)) {
      rows.add(row("enqueue", List.of("pending", "lane:l", "guard"), batch));
      rows.add(row("complete", List.of("active", "lease", "completed", "lane:l", "guard"), batch));
    }
    redis.clear();
    return new Table(
        "Cost of lanes",
        List.of(
            "script",
            "tasks per call",
            "µs without a lane",
            "µs with a lane",
            "difference µs",
            "difference %"),
        rows);
  }

  private List<Object> row(String script, List<String> keys, int batch) {
    redis.clear();
    TaskPreparer preparer = new TaskPreparer(redis);
    RawScript raw = new RawScript(redis.admin(), script, preparer.key(""), keys);
    List<Long> without = new ArrayList<>();
    List<Long> with = new ArrayList<>();
    int calls = Math.min(scale.calls(1), CALLS_IN_A_ROUND);
    long number = 0;
    for (int done = 0; done < scale.calls(1); done += calls) {
      List<List<byte[]>> items = new ArrayList<>(calls);
      for (int i = 0; i < calls; i++) {
        items.add(script.equals("enqueue") ? newTasks(batch) : claimed(preparer, batch));
      }
      redis.logCalls(0);
      for (int i = 0; i < calls; i++) {
        raw.call(i % 2 == 0 ? "" : Long.toString(++number), items.get(i));
      }
      List<Long> times = redis.loggedCalls();
      for (int i = 0; i < calls; i++) {
        (i % 2 == 0 ? without : with).add(times.get(i));
      }
      redis.clear();
    }
    double medianWithout = median(without);
    double medianWith = median(with);
    return List.of(
        script,
        batch,
        medianWithout,
        medianWith,
        medianWith - medianWithout,
        100 * (medianWith / medianWithout - 1));
  }

  private static double median(List<Long> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }

  private static List<byte[]> newTasks(int batch) {
    List<byte[]> items = new ArrayList<>(1 + batch * 2);
    // ID and message of each task are sent; the tasks have no unique lock.
    items.add(bytes("2"));
    for (int i = 0; i < batch; i++) {
      items.add(bytes(UUID.randomUUID().toString()));
      items.add(new byte[250]);
    }
    return items;
  }

  private static List<byte[]> claimed(TaskPreparer preparer, int batch) {
    List<byte[]> items = new ArrayList<>(1 + batch * 3);
    // Only the lease of each task is sent, because the tasks are deleted.
    items.add(bytes("3"));
    for (Claim claim : preparer.active(batch, TaskPreparer.LONG)) {
      items.add(bytes(claim.id()));
      items.add(bytes(claim.token()));
      items.add(bytes(Long.toString(claim.leasedUntil().getEpochSecond())));
    }
    return items;
  }
}
