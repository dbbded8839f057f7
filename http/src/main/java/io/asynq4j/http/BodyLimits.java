package io.asynq4j.http;

import java.time.Duration;

/**
 * Limits of the size and speed of request bodies. Immutable.
 *
 * @param largest maximum bytes of one body; longer ones are refused, or left to the handler if
 *     their length is known
 * @param total maximum bytes of all bodies at a time
 * @param grace how long a body may take, however short it is
 * @param bytesPerSecond minimum rate of a body that takes longer, in each period as long as grace
 * @param longest how long a body may take, however fast it arrives
 */
public record BodyLimits(
    long largest, long total, Duration grace, int bytesPerSecond, Duration longest) {

  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final int BYTES_PER_SECOND = 1_024;
  private static final Duration LONGEST = Duration.ofMinutes(5);

  /**
   * Maximum bytes of the bodies of one authenticated caller: a quarter, or one body if that is
   * more.
   */
  long perCaller() {
    return Math.max(largest, total / 4);
  }

  /**
   * Maximum bytes of the bodies of all callers that are not authenticated; the rest is for the
   * others.
   */
  long ofUnverified() {
    return total / 2;
  }

  /** Returns limits with a quarter of the heap for bodies, and at least two bodies. */
  public static BodyLimits upTo(long largest) {
    long total = Math.max(2 * largest, Runtime.getRuntime().maxMemory() / 4);
    return new BodyLimits(largest, total, GRACE, BYTES_PER_SECOND, LONGEST);
  }

  /** Minimum bytes in each period as long as grace; the average of the whole body is not enough. */
  long minPerPeriod() {
    return Math.max(1, grace.toMillis() * bytesPerSecond / 1_000);
  }
}
