package io.asynq4j.dashboard.internal.live;

import io.asynq4j.http.JsonFields;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Numbers of processed and failed tasks per queue in the last hour, one value per ten seconds, kept
 * in memory. A queue without processed tasks takes no memory. Thread-safe.
 */
public final class ThroughputHistory {

  public static final Duration INTERVAL = Duration.ofSeconds(10);
  private static final int POINTS = 360;
  private static final int MINUTE = 6;

  private final Map<String, Totals> last = new HashMap<>();
  private final Map<String, Ring> rings = new HashMap<>();
  private long first = -1;
  private long newest = -1;

  private record Totals(long processed, long failed) {}

  /** The counts of one queue, by interval number. */
  private static final class Ring {
    private final int[] processed = new int[POINTS];
    private final int[] failed = new int[POINTS];
    private long newest;

    Ring(long slot) {
      newest = slot;
    }

    void add(long slot, long moreProcessed, long moreFailed) {
      // The intervals in between were not written and hold counts of an hour ago.
      for (long each = Math.max(newest + 1, slot - POINTS + 1); each <= slot; each++) {
        processed[place(each)] = 0;
        failed[place(each)] = 0;
      }
      newest = Math.max(newest, slot);
      processed[place(slot)] += (int) Math.min(moreProcessed, Integer.MAX_VALUE / 2);
      failed[place(slot)] += (int) Math.min(moreFailed, Integer.MAX_VALUE / 2);
    }

    Point at(long slot) {
      boolean isKept = slot <= newest && slot > newest - POINTS;
      return isKept
          ? new Point(slot, processed[place(slot)], failed[place(slot)])
          : new Point(slot, 0, 0);
    }

    private static int place(long slot) {
      return (int) (slot % POINTS);
    }
  }

  private record Point(long slot, long processed, long failed) {}

  /** Adds the difference between the totals of this and of the previous snapshot. */
  synchronized void add(Instant at, Iterable<QueueRow> rows) {
    long slot = at.getEpochSecond() / INTERVAL.toSeconds();
    if (first < 0) {
      first = slot;
    }
    newest = Math.max(newest, slot);
    Map<String, Totals> now = new HashMap<>();
    for (QueueRow row : rows) {
      if (row.at() == null) {
        // The totals are unknown, not 0.
        continue;
      }
      Totals totals = new Totals(row.processed(), row.failed());
      Totals before = last.get(row.name());
      now.put(row.name(), totals);
      if (before == null) {
        // The tasks before the first snapshot of the queue do not belong to this interval.
        continue;
      }
      long processed = Math.max(0, totals.processed() - before.processed());
      long failed = Math.max(0, totals.failed() - before.failed());
      if (processed > 0 || failed > 0) {
        rings.computeIfAbsent(row.name(), any -> new Ring(newest)).add(newest, processed, failed);
      }
    }
    last.clear();
    last.putAll(now);
    rings.values().removeIf(ring -> ring.newest <= newest - POINTS);
  }

  /** Returns the totals of these queues, oldest first. */
  public synchronized List<JsonFields> points(Predicate<String> queues) {
    List<JsonFields> points = new ArrayList<>();
    if (newest < 0) {
      return points;
    }
    List<Ring> wanted = wanted(queues);
    for (long slot = Math.max(first, newest - POINTS + 1); slot <= newest; slot++) {
      Point sum = sum(wanted, slot);
      points.add(
          new JsonFields()
              .put("at", Instant.ofEpochSecond((slot + 1) * INTERVAL.toSeconds()))
              .put("processed", sum.processed())
              .put("failed", sum.failed()));
    }
    return points;
  }

  private List<Ring> wanted(Predicate<String> queues) {
    return rings.entrySet().stream()
        .filter(entry -> queues.test(entry.getKey()))
        .map(Map.Entry::getValue)
        .toList();
  }

  private static Point sum(List<Ring> rings, long slot) {
    long processed = 0;
    long failed = 0;
    for (Ring ring : rings) {
      Point point = ring.at(slot);
      processed += point.processed();
      failed += point.failed();
    }
    return new Point(slot, processed, failed);
  }

  /** Returns the processed and failed tasks per second during the last complete minute. */
  synchronized double[] perSecond(Predicate<String> queues) {
    List<Ring> wanted = wanted(queues);
    long processed = 0;
    long failed = 0;
    long slots = Math.min(MINUTE, newest - first);
    for (long slot = newest - slots; slot < newest; slot++) {
      Point sum = sum(wanted, slot);
      processed += sum.processed();
      failed += sum.failed();
    }
    double seconds = Math.max(1, slots * INTERVAL.toSeconds());
    return new double[] {processed / seconds, failed / seconds};
  }
}
