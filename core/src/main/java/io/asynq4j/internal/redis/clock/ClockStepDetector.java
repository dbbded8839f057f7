package io.asynq4j.internal.redis.clock;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Detects forward steps of Redis clocks. Each clock is compared with itself, by this machine's
 * monotonic timer, since servers of a cluster may permanently show different times. Thread-safe.
 */
final class ClockStepDetector {

  /** Threshold of a step: larger than the drift between two readings. */
  static final Duration STEP = Duration.ofSeconds(2);

  /**
   * A reading of a clock, taken no earlier than {@code sentNanos}, and when a step was last
   * detected.
   */
  private record Look(Instant redis, long sentNanos, @Nullable Long steppedNanos) {

    Look next(Instant later, long sent, long answered) {
      Duration most = Duration.ofNanos(answered - sentNanos).plus(STEP);
      boolean steps = Duration.between(redis, later).compareTo(most) > 0;
      return new Look(later, sent, steps ? Long.valueOf(answered) : steppedNanos);
    }
  }

  private final Map<String, Look> looks = new ConcurrentHashMap<>();

  /**
   * Records a reading of a clock.
   *
   * @param clock the name of the clock
   * @param redis what it showed at some moment between the two timer values
   * @return whether it has stepped within the duration {@code lately}
   */
  boolean note(String clock, Instant redis, long sentNanos, long answeredNanos, Duration lately) {
    Look look =
        Objects.requireNonNull(
            looks.merge(
                clock,
                new Look(redis, sentNanos, null),
                (last, first) -> last.next(redis, sentNanos, answeredNanos)));
    Long stepped = look.steppedNanos();
    return stepped != null && answeredNanos - stepped < lately.toNanos();
  }
}
