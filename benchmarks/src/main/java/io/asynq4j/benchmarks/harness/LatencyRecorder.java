package io.asynq4j.benchmarks.harness;

import java.util.Arrays;
import java.util.List;

/** Records times in nanoseconds individually, for exact percentiles. Thread-safe. */
public final class LatencyRecorder {

  /** Column names of {@link #row}. */
  public static final List<String> COLUMNS =
      List.of("samples", "p50 ms", "p95 ms", "p99 ms", "p99.9 ms", "max ms");

  private long[] nanos = new long[1024];
  private int count;
  private boolean sorted;

  public synchronized void add(long sample) {
    if (count == nanos.length) {
      nanos = Arrays.copyOf(nanos, count * 2);
    }
    nanos[count++] = sample;
    sorted = false;
  }

  public synchronized int count() {
    return count;
  }

  /** Percentile of all samples in milliseconds. */
  public synchronized double millis(double part) {
    if (count == 0) {
      throw new IllegalStateException("no samples were recorded");
    }
    if (!sorted) {
      Arrays.sort(nanos, 0, count);
      sorted = true;
    }
    return nanos[Math.max(0, (int) Math.ceil(part * count) - 1)] / 1e6;
  }

  public List<Object> row() {
    return List.of(count(), millis(0.5), millis(0.95), millis(0.99), millis(0.999), millis(1));
  }
}
