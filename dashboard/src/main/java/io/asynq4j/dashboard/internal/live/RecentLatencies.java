package io.asynq4j.dashboard.internal.live;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** The latencies of queues during the last minute, in a few samples. Not thread-safe. */
final class RecentLatencies {

  private static final Duration SAMPLE_INTERVAL = Duration.ofSeconds(15);
  private static final Duration AGE = Duration.ofMinutes(1);
  private static final Duration TOLERANCE = Duration.ofSeconds(20);

  private final Deque<Sample> samples = new ArrayDeque<>();

  private record Sample(long nanos, Map<String, Long> millis) {}

  /**
   * Adds the current latencies.
   *
   * @return latencies about a minute ago, in milliseconds; empty if no sample is that old
   */
  Map<String, Long> add(Collection<QueueRow> rows) {
    long now = System.nanoTime();
    Sample newest = samples.peekLast();
    if (newest == null || now - newest.nanos() > SAMPLE_INTERVAL.toNanos()) {
      Map<String, Long> millis = new HashMap<>();
      rows.stream()
          .filter(row -> row.latency().toMillis() > 0)
          .forEach(row -> millis.put(row.name(), row.latency().toMillis()));
      samples.addLast(new Sample(now, millis));
    }
    while (samples.size() > 1 && now - samples.getFirst().nanos() > AGE.plus(TOLERANCE).toNanos()) {
      samples.removeFirst();
    }
    Sample oldest = samples.getFirst();
    return now - oldest.nanos() > AGE.minus(TOLERANCE).toNanos() ? oldest.millis() : Map.of();
  }
}
