package io.asynq4j.http;

import java.time.Duration;

/**
 * How much of bodies is received, and how fast they must come. Immutable.
 *
 * @param largest bytes of one body; longer ones are refused, or left to the handler where their
 *     length is known
 * @param total bytes of all bodies at once
 * @param grace how long a body may take, however short it is
 * @param bytesPerSecond minimum rate of a body that takes longer, in each period as long as grace
 * @param longest how long a body may take, however fast it comes
 */
public record BodyLimits(
    long largest, long total, Duration grace, int bytesPerSecond, Duration longest) {

  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final int BYTES_PER_SECOND = 1_024;
  private static final Duration LONGEST = Duration.ofMinutes(5);

  /**
   * How many bytes of bodies one known caller may hold: a quarter, or one body where that is more.
   */
  long perCaller() {
    return Math.max(largest, total / 4);
  }

  /** How many bytes all callers may hold whose login is not verified; the others have the rest. */
  long ofUnverified() {
    return total / 2;
  }

  /** Room for a quarter of the memory, and for two bodies at least. */
  public static BodyLimits upTo(long largest) {
    long total = Math.max(2 * largest, Runtime.getRuntime().maxMemory() / 4);
    return new BodyLimits(largest, total, GRACE, BYTES_PER_SECOND, LONGEST);
  }

  /**
   * How many bytes must come in each period as long as grace; a lifetime's average is not enough.
   */
  long leastPerPeriod() {
    return Math.max(1, grace.toMillis() * bytesPerSecond / 1_000);
  }
}
