package io.asynq4j.internal.redis.clock;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which clocks of Redis have stepped forward lately. Each is compared with itself, by this
 * machine's steady timer: servers of a cluster may show different times for good. Thread-safe.
 */
final class ClockStepDetector {

  /** More than clocks drift apart between two looks. */
  private static final Duration STEP = Duration.ofSeconds(2);

  /** What a clock showed, not earlier than a moment of the timer, and when it was seen to step. */
  private record Look(Instant redis, long sentNanos, @Nullable Long steppedNanos) {

    Look next(Instant later, long sent, long answered) {
      Duration most = Duration.ofNanos(answered - sentNanos).plus(STEP);
      boolean steps = Duration.between(redis, later).compareTo(most) > 0;
      return new Look(later, sent, steps ? Long.valueOf(answered) : steppedNanos);
    }
  }

  private final Map<String, Look> looks = new ConcurrentHashMap<>();

  /**
   * Takes note of a look at a clock.
   *
   * @param clock a name of it
   * @param redis what it showed at some moment between the two of the timer
   * @return whether it has stepped within this time
   */
  boolean note(String clock, Instant redis, long sentNanos, long answeredNanos, Duration lately) {
    Look look =
        Objects.requireNonNull(
            looks.compute(
                clock,
                (name, last) ->
                    last == null
                        ? new Look(redis, sentNanos, null)
                        : last.next(redis, sentNanos, answeredNanos)));
    Long stepped = look.steppedNanos();
    return stepped != null && answeredNanos - stepped < lately.toNanos();
  }
}
