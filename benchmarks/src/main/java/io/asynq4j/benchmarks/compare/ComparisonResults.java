package io.asynq4j.benchmarks.compare;

import io.asynq4j.benchmarks.harness.LatencyRecorder;
import io.asynq4j.benchmarks.report.LoadReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;

/** Measurements of a comparison by topic and contender, one score per round. */
public final class ComparisonResults {

  /**
   * A topic.
   *
   * @param delayMillis added delay of a round trip to the store
   * @param more whether higher is better
   */
  public record What(String topic, int delayMillis, String unit, boolean more) {
    @Override
    public String toString() {
      return delayMillis == 0 ? topic : topic + ", " + delayMillis + " ms";
    }
  }

  /**
   * A measurement.
   *
   * @param cpuMicros CPU time of the process per task; NaN if not measured
   * @param storeMicros CPU time of Redis or PostgreSQL per task; NaN if not measured
   * @param stolen share of CPU time that the hypervisor gave to other machines; NaN if not measured
   * @param times samples of the value in nanoseconds; may be empty
   * @param over whether the value is only a lower bound
   */
  public record Score(
      double value,
      double cpuMicros,
      double storeMicros,
      double stolen,
      List<Long> times,
      boolean over) {

    public static Score of(double value) {
      return new Score(value, Double.NaN, Double.NaN, Double.NaN, List.of(), /* over= */ false);
    }

    static Score over(double value) {
      return new Score(value, Double.NaN, Double.NaN, Double.NaN, List.of(), /* over= */ true);
    }

    Score withStolen(double share) {
      return new Score(value, cpuMicros, storeMicros, share, times, over);
    }
  }

  private final Map<What, Map<String, List<Score>>> scores = new LinkedHashMap<>();

  public void add(What what, String who, Score score) {
    scores
        .computeIfAbsent(what, any -> new LinkedHashMap<>())
        .computeIfAbsent(who, any -> new ArrayList<>())
        .add(score);
  }

  public List<What> topics() {
    return List.copyOf(scores.keySet());
  }

  private List<Score> of(What what, String who) {
    return scores.getOrDefault(what, Map.of()).getOrDefault(who, List.of());
  }

  public boolean has(What what, String who) {
    return !of(what, who).isEmpty();
  }

  public double median(What what, String who) {
    return median(of(what, who).stream().mapToDouble(Score::value));
  }

  private static double median(DoubleStream values) {
    double[] sorted = values.filter(value -> !Double.isNaN(value)).sorted().toArray();
    return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
  }

  /**
   * How many times better one contender is than another: the median over the rounds, in each of
   * which both were measured one after the other.
   */
  public OptionalDouble ratio(What what, String who, String than) {
    List<Score> ours = of(what, who);
    List<Score> theirs = of(what, than);
    int rounds = Math.min(ours.size(), theirs.size());
    if (rounds == 0) {
      return OptionalDouble.empty();
    }
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      double our = ours.get(round).value();
      double their = theirs.get(round).value();
      // A ratio with a result of zero is not meaningful.
      ratios.add(our == 0 || their == 0 ? Double.NaN : what.more() ? our / their : their / our);
    }
    double ratio = median(ratios.stream().mapToDouble(Double::doubleValue));
    return Double.isNaN(ratio) ? OptionalDouble.empty() : OptionalDouble.of(ratio);
  }

  /** Adds a table with the figures of every contender. */
  public void figures(LoadReport report, String title, String reference) {
    List<List<Object>> rows = new ArrayList<>();
    scores.forEach(
        (what, byWho) ->
            byWho.forEach(
                (who, all) -> {
                  List<Object> row = new ArrayList<>();
                  row.add(what.toString());
                  row.add(who);
                  row.add(
                      all.stream().anyMatch(Score::over)
                          ? "over " + number(median(what, who))
                          : median(what, who));
                  row.add(what.unit());
                  row.add(spread(all));
                  row.add(p99(all));
                  row.add(median(all.stream().mapToDouble(Score::cpuMicros)));
                  row.add(median(all.stream().mapToDouble(Score::storeMicros)));
                  row.add(maxStolen(all));
                  OptionalDouble ratio = ratio(what, who, reference);
                  row.add(ratio.isPresent() ? (Object) ratio.getAsDouble() : "");
                  rows.add(row);
                }));
    report.table(
        title,
        List.of(
            "measurement",
            "library",
            "median",
            "unit",
            "minimum to maximum",
            "p99 of all rounds",
            "process CPU µs/task",
            "store CPU µs/task",
            "CPU steal, maximum",
            "times as good as " + reference),
        rows);
  }

  private static String spread(List<Score> all) {
    return number(all.stream().mapToDouble(Score::value).min().orElse(Double.NaN))
        + " to "
        + number(all.stream().mapToDouble(Score::value).max().orElse(Double.NaN));
  }

  private static String maxStolen(List<Score> all) {
    return all.stream()
        .map(Score::stolen)
        .filter(share -> !share.isNaN())
        .max(Comparator.naturalOrder())
        .map(share -> String.format(Locale.ROOT, "%.0f %%", 100 * share))
        .orElse("");
  }

  private static Object p99(List<Score> all) {
    LatencyRecorder latencies = new LatencyRecorder();
    all.forEach(score -> score.times().forEach(latencies::add));
    return latencies.count() == 0 ? "" : latencies.millis(0.99);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, Math.abs(value) >= 100 ? "%,.0f" : "%.2f", value);
  }

  /** Adds one table with the ratios of a contender to each of the others. */
  public void ratios(LoadReport report, String title, String who, List<String> others) {
    List<String> columns = new ArrayList<>(List.of("measurement", who));
    others.forEach(other -> columns.add("× " + other));
    List<List<Object>> rows = new ArrayList<>();
    for (What what : topics()) {
      if (has(what, who)) {
        List<Object> row = new ArrayList<>();
        row.add(what.toString());
        row.add(number(median(what, who)) + " " + what.unit());
        for (String other : others) {
          OptionalDouble ratio = ratio(what, who, other);
          boolean over = of(what, other).stream().anyMatch(Score::over);
          row.add(ratio.isEmpty() ? "" : (over ? "over " : "") + number(ratio.getAsDouble()));
        }
        rows.add(row);
      }
    }
    report.table(title, columns, rows);
  }
}
