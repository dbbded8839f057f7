package io.asynq4j.benchmarks.harness;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Measures several things in turn, in rounds. The speed of a machine changes within minutes, so
 * alternating keeps the results comparable. The first round warms up and does not count. Not
 * thread-safe.
 */
public final class InterleavedMeasurements {

  private final Map<String, Supplier<Measurement>> measurements = new LinkedHashMap<>();
  private final Map<String, List<Measurement>> cells = new LinkedHashMap<>();

  public InterleavedMeasurements add(String name, Supplier<Measurement> measurement) {
    measurements.put(name, measurement);
    return this;
  }

  public InterleavedMeasurements run(int rounds) {
    for (int round = 0; round <= rounds; round++) {
      boolean counts = round > 0;
      measurements.forEach(
          (name, measurement) -> {
            Measurement cell = measurement.get();
            if (counts) {
              cells.computeIfAbsent(name, any -> new ArrayList<>()).add(cell);
            }
          });
    }
    return this;
  }

  /** All rounds together. */
  public Measurement total(String name) {
    return of(name).stream().reduce(Measurement.NONE, Measurement::plus);
  }

  /** How many times as fast one is as another: the median over the rounds. */
  public double ratio(String name, String reference) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < of(name).size(); round++) {
      ratios.add(of(name).get(round).tasksPerSecond() / of(reference).get(round).tasksPerSecond());
    }
    return ratios.stream().sorted().toList().get(ratios.size() / 2);
  }

  private List<Measurement> of(String name) {
    List<Measurement> found = cells.get(name);
    if (found == null) {
      throw new IllegalArgumentException("not measured: " + name);
    }
    return found;
  }
}
