package io.asynq4j.dashboard.internal.live;

import io.asynq4j.TaskState;
import io.asynq4j.http.JsonFields;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sizes by state and latencies of queues in the last hour, one value per half minute, kept in
 * memory. Thread-safe.
 *
 * <p>A series is stored only if it has a value other than zero, and the number of series is
 * limited: ten thousand queues take about ten megabytes. Above the limit, new queues have no
 * history of their own and count only in the totals.
 */
public final class QueueSizeHistory {

  public static final Duration INTERVAL = Duration.ofSeconds(30);
  static final int MAX_SERIES = 40_000;

  private static final int POINTS = 120;
  private static final TaskState[] STATES = TaskState.values();
  private static final int LATENCY = STATES.length;
  private static final int KINDS = STATES.length + 1;

  private final int maxSeries;
  private final Map<String, int[] @Nullable []> byQueue = new HashMap<>();
  private final long[][] totals = new long[KINDS][POINTS];
  private final int[] workers = new int[POINTS];
  private final int[] busy = new int[POINTS];

  /** Number of the interval that each index holds. */
  private final long[] slots = new long[POINTS];

  /** Time of the last snapshot in the interval of each index. */
  private final @Nullable Instant[] times = new Instant[POINTS];

  private long newest = -1;
  private int rows;

  QueueSizeHistory() {
    this(MAX_SERIES);
  }

  QueueSizeHistory(int maxSeries) {
    this.maxSeries = maxSeries;
    Arrays.fill(slots, -1);
  }

  /** Adds a snapshot. The last snapshot of an interval counts. */
  synchronized void add(Instant at, Iterable<QueueRow> queues, int allWorkers, int busyWorkers) {
    long slot = at.getEpochSecond() / INTERVAL.toSeconds();
    if (slot < newest) {
      return;
    }
    int place = (int) (slot % POINTS);
    if (slots[place] != slot) {
      clear(place);
      slots[place] = slot;
      newest = slot;
    }
    times[place] = at;
    workers[place] = allWorkers;
    busy[place] = busyWorkers;
    for (long[] kind : totals) {
      kind[place] = 0;
    }
    for (QueueRow queue : queues) {
      for (int kind = 0; kind < LATENCY; kind++) {
        long size = queue.size(STATES[kind]);
        totals[kind][place] += size;
        set(queue.name(), kind, place, size);
      }
      long latency = queue.latency().toMillis();
      totals[LATENCY][place] = Math.max(totals[LATENCY][place], latency);
      set(queue.name(), LATENCY, place, latency);
    }
  }

  /** Clears an index for a new interval; its values are an hour old. */
  private void clear(int place) {
    Iterator<int[] @Nullable []> all = byQueue.values().iterator();
    while (all.hasNext()) {
      int[] @Nullable [] kinds = all.next();
      boolean isEmpty = true;
      for (int kind = 0; kind < KINDS; kind++) {
        int[] row = kinds[kind];
        if (row != null) {
          row[place] = 0;
          if (isZero(row)) {
            kinds[kind] = null;
            rows--;
          } else {
            isEmpty = false;
          }
        }
      }
      if (isEmpty) {
        all.remove();
      }
    }
  }

  private static boolean isZero(int[] row) {
    for (int value : row) {
      if (value != 0) {
        return false;
      }
    }
    return true;
  }

  private void set(String queue, int kind, int place, long value) {
    int[] @Nullable [] kinds = byQueue.get(queue);
    int[] row = kinds == null ? null : kinds[kind];
    if (row == null) {
      if (value == 0 || rows >= maxSeries) {
        return;
      }
      row = new int[POINTS];
      rows++;
      if (kinds == null) {
        kinds = new int[KINDS][];
        byQueue.put(queue, kinds);
      }
      kinds[kind] = row;
    }
    row[place] = (int) Math.min(value, Integer.MAX_VALUE);
  }

  /** Returns the totals of all queues, with the workers, oldest first. */
  public synchronized List<JsonFields> points() {
    List<JsonFields> points = new ArrayList<>();
    for (long slot = newest - POINTS + 1; slot <= newest; slot++) {
      int place = place(slot);
      if (place >= 0) {
        long[] sums = new long[KINDS];
        for (int kind = 0; kind < KINDS; kind++) {
          sums[kind] = totals[kind][place];
        }
        points.add(
            fields(place, sums).put("workers", workers[place]).put("busyWorkers", busy[place]));
      }
    }
    return points;
  }

  /** Returns the totals of these queues, with their maximum latency, oldest first. */
  public synchronized List<JsonFields> points(Predicate<String> queues) {
    List<int[] @Nullable []> wanted =
        byQueue.entrySet().stream()
            .filter(entry -> queues.test(entry.getKey()))
            .<int[] @Nullable []>map(Map.Entry::getValue)
            .toList();
    List<JsonFields> points = new ArrayList<>();
    for (long slot = newest - POINTS + 1; slot <= newest; slot++) {
      int place = place(slot);
      if (place >= 0) {
        points.add(fields(place, sums(wanted, place)));
      }
    }
    return points;
  }

  /** Returns the index of an interval; negative if the interval has no values. */
  private int place(long slot) {
    int place = (int) Math.floorMod(slot, (long) POINTS);
    return slot >= 0 && slots[place] == slot ? place : -1;
  }

  private static long[] sums(List<int[] @Nullable []> queues, int place) {
    long[] sums = new long[KINDS];
    for (int[] @Nullable [] kinds : queues) {
      for (int kind = 0; kind < KINDS; kind++) {
        int[] row = kinds[kind];
        if (row != null) {
          sums[kind] = kind == LATENCY ? Math.max(sums[kind], row[place]) : sums[kind] + row[place];
        }
      }
    }
    return sums;
  }

  private JsonFields fields(int place, long[] sums) {
    JsonFields sizes = new JsonFields();
    for (int kind = 0; kind < LATENCY; kind++) {
      sizes.put(STATES[kind].word(), sums[kind]);
    }
    return new JsonFields()
        .put("at", times[place])
        .put("sizes", sizes.map())
        .put("latencyMs", sums[LATENCY]);
  }

  /** Returns the number of stored series. */
  synchronized int rows() {
    return rows;
  }
}
