package io.asynq4j.cli.dash.data;

import java.util.List;

/**
 * How something went lately. Immutable.
 *
 * @param rate attempts that ended per second, at last
 * @param rates the same over time, oldest first
 * @param latencies in seconds, oldest first
 */
public record Trend(double rate, List<Double> rates, List<Double> latencies) {

  public static final Trend NONE = new Trend(0, List.of(), List.of());

  public Trend {
    rates = List.copyOf(rates);
    latencies = List.copyOf(latencies);
  }
}
