package io.asynq4j.benchmarks.script;

import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.EnvironmentInfo;
import io.asynq4j.benchmarks.report.Report;
import io.asynq4j.benchmarks.report.Table;
import io.asynq4j.benchmarks.report.Threshold;
import io.asynq4j.benchmarks.script.ScriptBenchmarkOptions.Part;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Measures each script: calls, CPU time, growth, longest calls, lanes and memory. */
public final class ScriptBenchmark {

  private ScriptBenchmark() {}

  /** Prints the report; exits with 1 if a threshold was missed at full size. */
  public static void main(String[] arguments) {
    ScriptBenchmarkOptions options;
    try {
      options = ScriptBenchmarkOptions.parse(List.of(arguments));
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.exit(2);
      return;
    }
    Report report = run(options);
    System.out.println(options.json() ? report.json() : report.markdown());
    if (!options.quick() && !report.missed().isEmpty()) {
      System.exit(1);
    }
  }

  static Report run(ScriptBenchmarkOptions options) {
    long start = System.nanoTime();
    ScriptBenchmarkScale scale =
        options.quick() ? ScriptBenchmarkScale.QUICK : ScriptBenchmarkScale.FULL;
    List<Table> tables = new ArrayList<>();
    List<Threshold> bars = new ArrayList<>();
    try (BenchmarkRedis redis = BenchmarkRedis.open(options.redis())) {
      Map<String, String> environment = EnvironmentInfo.of(redis);
      ScriptThroughputBenchmark throughput =
          new ScriptThroughputBenchmark(redis, scale, options::wants);
      if (options.parts().contains(Part.SCRIPTS)) {
        tables.add(throughput.run());
      }
      if (options.parts().contains(Part.GROWTH)) {
        ActiveGrowthBenchmark growth = new ActiveGrowthBenchmark(redis, scale);
        tables.add(growth.run());
        bars.addAll(growth.bars());
      }
      if (options.parts().contains(Part.LARGE)) {
        LargeQueueBenchmark large =
            new LargeQueueBenchmark(redis, scale, throughput.scriptMicros(), options::wants);
        tables.add(large.run());
        bars.addAll(large.bars());
      }
      if (options.parts().contains(Part.LANES)) {
        tables.add(new LaneCostBenchmark(redis, scale).run());
      }
      if (options.parts().contains(Part.MEMORY)) {
        tables.add(new TaskMemoryBenchmark(redis, scale).run());
      }
      Duration taken = Duration.ofNanos(System.nanoTime() - start);
      environment.put("took", taken.toSeconds() + " s");
      return new Report(environment, tables, bars);
    }
  }
}
