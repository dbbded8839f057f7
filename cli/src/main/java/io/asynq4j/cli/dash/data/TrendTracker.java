package io.asynq4j.cli.dash.data;

import io.asynq4j.inspect.QueueSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Computes trends from successive snapshots: the latest rate of every queue, and the history of the
 * queues that were visible last. Not thread-safe.
 */
public final class TrendTracker {

  /** As many values as a wide terminal can show. */
  private static final int SAMPLES = 120;

  private static final int MOST_COURSES = 500;

  /** Snapshots closer together than this are skipped, because their rates would fluctuate. */
  private final Duration apart;

  private final Map<String, Last> lasts = new HashMap<>();
  private final Map<String, Course> courses =
      new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true);
  private final Course total = new Course();
  private Instant totalAt = Instant.MIN;

  private record Last(Instant at, long processed, double rate) {}

  private static final class Course {
    private final Deque<Double> rates = new ArrayDeque<>();
    private final Deque<Double> latencies = new ArrayDeque<>();

    void add(double rate, double latency) {
      rates.add(rate);
      latencies.add(latency);
      if (rates.size() > SAMPLES) {
        rates.remove();
        latencies.remove();
      }
    }

    Trend trend(double rate) {
      return new Trend(rate, new ArrayList<>(rates), new ArrayList<>(latencies));
    }
  }

  public TrendTracker(Duration interval) {
    this.apart = interval.dividedBy(2);
  }

  /** Adds a snapshot and returns the current trend. */
  public Trend add(QueueSnapshot look, boolean isVisible) {
    Last last = lasts.get(look.queue());
    Last now = last;
    if (last == null) {
      now = new Last(look.at(), look.processed(), 0);
    } else {
      Duration since = Duration.between(last.at(), look.at());
      if (since.isNegative() || since.isZero() || since.compareTo(apart) < 0) {
        return trend(look.queue(), last.rate());
      }
      // A queue that was removed and created again starts its counters at zero.
      long processed = Math.max(0, look.processed() - last.processed());
      now = new Last(look.at(), look.processed(), processed * 1e9 / since.toNanos());
      if (isVisible || courses.size() < MOST_COURSES || courses.containsKey(look.queue())) {
        courses
            .computeIfAbsent(look.queue(), name -> new Course())
            .add(now.rate(), look.latency().toMillis() / 1000.0);
        if (courses.size() > MOST_COURSES) {
          courses.remove(courses.keySet().iterator().next());
        }
      }
    }
    lasts.put(look.queue(), now);
    return trend(look.queue(), now.rate());
  }

  private Trend trend(String queue, double rate) {
    Course course = courses.get(queue);
    return course == null ? new Trend(rate, List.of(), List.of()) : course.trend(rate);
  }

  /** Same for the totals. */
  Trend addTotal(Instant at, double rate, double latency) {
    if (totalAt.equals(Instant.MIN) || Duration.between(totalAt, at).compareTo(apart) >= 0) {
      total.add(rate, latency);
      totalAt = at;
    }
    return total.trend(rate);
  }

  /** Drops the history of all other queues. */
  public void retain(Set<String> queues) {
    lasts.keySet().retainAll(queues);
    courses.keySet().retainAll(queues);
  }
}
