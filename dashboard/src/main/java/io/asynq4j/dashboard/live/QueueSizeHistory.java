package io.asynq4j.dashboard.live;

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
 * How many tasks there were in each state and how long they waited, in each half minute of the last
 * hour, per queue, kept in memory. Thread-safe.
 *
 * <p>A row of numbers is kept only for what was not zero all the time, and no more than so many:
 * with ten thousand queues it is some ten megabytes. Where there are more, queues that come later
 * have no history of their own, and count only in that of all together.
 */
public final class QueueSizeHistory {

  public static final Duration INTERVAL = Duration.ofSeconds(30);
  static final int MOST_ROWS = 40_000;

  private static final int POINTS = 120;
  private static final TaskState[] STATES = TaskState.values();
  private static final int LATENCY = STATES.length;
  private static final int KINDS = STATES.length + 1;

  private final int mostRows;
  private final Map<String, int[] @Nullable []> byQueue = new HashMap<>();
  private final long[][] together = new long[KINDS][POINTS];
  private final int[] workers = new int[POINTS];
  private final int[] busy = new int[POINTS];

  /** Which interval each place holds, and when it was looked in it last. */
  private final long[] slots = new long[POINTS];

  private final @Nullable Instant[] looked = new Instant[POINTS];
  private long newest = -1;
  private int rows;

  QueueSizeHistory() {
    this(MOST_ROWS);
  }

  QueueSizeHistory(int mostRows) {
    this.mostRows = mostRows;
    Arrays.fill(slots, -1);
  }

  /** Takes note of what a look has shown; the last one in an interval counts. */
  synchronized void add(Instant at, Iterable<QueueRow> queues, int allWorkers, int busyWorkers) {
    long slot = at.getEpochSecond() / INTERVAL.toSeconds();
    if (slot < newest) {
      return;
    }
    int place = (int) (slot % POINTS);
    if (slots[place] != slot) {
      begin(place);
      slots[place] = slot;
      newest = slot;
    }
    looked[place] = at;
    workers[place] = allWorkers;
    busy[place] = busyWorkers;
    for (long[] kind : together) {
      kind[place] = 0;
    }
    for (QueueRow queue : queues) {
      for (int kind = 0; kind < LATENCY; kind++) {
        long size = queue.size(STATES[kind]);
        together[kind][place] += size;
        set(queue.name(), kind, place, size);
      }
      long latency = queue.latency().toMillis();
      together[LATENCY][place] = Math.max(together[LATENCY][place], latency);
      set(queue.name(), LATENCY, place, latency);
    }
  }

  /** A place is used again: what it held is an hour old. */
  private void begin(int place) {
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
      if (value == 0 || rows >= mostRows) {
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

  /** All queues together, and the workers, oldest first. */
  public synchronized List<JsonFields> points() {
    List<JsonFields> points = new ArrayList<>();
    for (long slot = newest - POINTS + 1; slot <= newest; slot++) {
      int place = place(slot);
      if (place >= 0) {
        long[] sums = new long[KINDS];
        for (int kind = 0; kind < KINDS; kind++) {
          sums[kind] = together[kind][place];
        }
        points.add(
            fields(place, sums).put("workers", workers[place]).put("busyWorkers", busy[place]));
      }
    }
    return points;
  }

  /** The queues that are wanted, together; the latency is the longest of theirs. */
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

  /** Where an interval is kept; negative when nobody looked in it. */
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
        .put("at", looked[place])
        .put("sizes", sizes.map())
        .put("latencyMs", sums[LATENCY]);
  }

  /** How many rows of numbers are kept. */
  synchronized int rows() {
    return rows;
  }
}
