package io.asynq4j.cli.dash.data;

import java.util.List;

/**
 * Recent development of a value. Immutable.
 *
 * @param rate latest rate in completed attempts per second
 * @param rates rates over time, oldest first
 * @param latencies in seconds, oldest first
 */
public record Trend(double rate, List<Double> rates, List<Double> latencies) {

  public static final Trend NONE = new Trend(0, List.of(), List.of());

  public Trend {
    rates = List.copyOf(rates);
    latencies = List.copyOf(latencies);
  }
}
