package io.asynq4j.benchmarks.load;

import io.asynq4j.benchmarks.Cell;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Measures several things in turn, and that in rounds: the pace of a machine changes within
 * minutes, and is then the same for all of them. The first round warms up and does not count. Not
 * thread-safe.
 */
final class Turns {

  private final Map<String, Supplier<Cell>> measurements = new LinkedHashMap<>();
  private final Map<String, List<Cell>> cells = new LinkedHashMap<>();

  Turns add(String name, Supplier<Cell> measurement) {
    measurements.put(name, measurement);
    return this;
  }

  Turns run(int rounds) {
    for (int round = 0; round <= rounds; round++) {
      boolean counts = round > 0;
      measurements.forEach(
          (name, measurement) -> {
            Cell cell = measurement.get();
            if (counts) {
              cells.computeIfAbsent(name, any -> new ArrayList<>()).add(cell);
            }
          });
    }
    return this;
  }

  /** All rounds together. */
  Cell total(String name) {
    return of(name).stream().reduce(Cell.NONE, Cell::plus);
  }

  /** How many times as fast one is as another: the median of the rounds. */
  double ratio(String name, String reference) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < of(name).size(); round++) {
      ratios.add(of(name).get(round).tasksPerSecond() / of(reference).get(round).tasksPerSecond());
    }
    return ratios.stream().sorted().toList().get(ratios.size() / 2);
  }

  private List<Cell> of(String name) {
    List<Cell> found = cells.get(name);
    if (found == null) {
      throw new IllegalArgumentException("not measured: " + name);
    }
    return found;
  }
}
