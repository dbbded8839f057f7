package io.asynq4j;

import java.time.Duration;

/**
 * How many tasks may begin in how long, over all workers. A bucket holds up to {@code burst}
 * tokens, gets new ones evenly, and gives one to each task that begins. Immutable.
 *
 * @param tasks so many
 * @param per in so long
 * @param burst how many may begin at once after a quiet time
 */
public record RateLimit(int tasks, Duration per, int burst) {

  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofDays(31);

  public RateLimit {
    if (tasks < 1) {
      throw new IllegalArgumentException("a rate must be of one task or more: " + tasks);
    }
    if (per.compareTo(SHORTEST) < 0 || per.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("a rate must be per millisecond to per 31 days: " + per);
    }
    if (burst < 1) {
      throw new IllegalArgumentException("a burst must be of one task or more: " + burst);
    }
  }

  /** With a burst of what comes in a tenth of a second, at least one. */
  public static RateLimit of(int tasks, Duration per) {
    return new RateLimit(tasks, per, (int) Math.max(1, tasks * 100L / Math.max(1, per.toMillis())));
  }

  public double perSecond() {
    return tasks * 1000.0 / per.toMillis();
  }
}
