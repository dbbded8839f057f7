package io.asynq4j.benchmarks;

import io.asynq4j.benchmarks.Options.Part;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Says what each script costs: calls, CPU, growth, the longest calls, lanes and memory. */
public final class ScriptBenchmark {

  private ScriptBenchmark() {}

  /** Prints the report; ends with 1 when a bar was missed at full size. */
  public static void main(String[] arguments) {
    Options options;
    try {
      options = Options.parse(List.of(arguments));
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

  static Report run(Options options) {
    long start = System.nanoTime();
    Scale scale = options.quick() ? Scale.QUICK : Scale.FULL;
    List<Table> tables = new ArrayList<>();
    List<Bar> bars = new ArrayList<>();
    try (Lab lab = Lab.open(options.redis())) {
      Map<String, String> environment = Environment.of(lab);
      Throughput throughput = new Throughput(lab, scale, options::wants);
      if (options.parts().contains(Part.SCRIPTS)) {
        tables.add(throughput.run());
      }
      if (options.parts().contains(Part.GROWTH)) {
        ActiveGrowth growth = new ActiveGrowth(lab, scale);
        tables.add(growth.run());
        bars.addAll(growth.bars());
      }
      if (options.parts().contains(Part.LARGE)) {
        LargeQueue large = new LargeQueue(lab, scale, throughput.scriptMicros(), options::wants);
        tables.add(large.run());
        bars.addAll(large.bars());
      }
      if (options.parts().contains(Part.LANES)) {
        tables.add(new LaneCost(lab, scale).run());
      }
      if (options.parts().contains(Part.MEMORY)) {
        tables.add(new Memory(lab, scale).run());
      }
      Duration taken = Duration.ofNanos(System.nanoTime() - start);
      environment.put("took", taken.toSeconds() + " s");
      return new Report(environment, tables, bars);
    }
  }
}
