package io.asynq4j.redis;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A clock that follows Redis's: set by looking at it now and then, carried on in between by this
 * machine's steady timer, and never stepping back. Thread-safe.
 */
final class RedisClock extends Clock implements BrokerTime {

  /**
   * The time shown at a moment of the timer, and how far that was ahead of Redis. What is ahead is
   * made up for by running at half the speed until Redis has caught up.
   */
  private record Anchor(Instant shown, long nanoTime, long aheadNanos) {
    Instant at(long now) {
      long elapsed = Math.max(0, now - nanoTime);
      return shown.plusNanos(elapsed - Math.min(aheadNanos, elapsed / 2));
    }
  }

  private final ZoneId zone;
  private final AtomicReference<Anchor> anchor;

  RedisClock() {
    this(
        ZoneOffset.UTC,
        new AtomicReference<>(new Anchor(Clock.systemUTC().instant(), System.nanoTime(), 0)));
  }

  private RedisClock(ZoneId zone, AtomicReference<Anchor> anchor) {
    this.zone = zone;
    this.anchor = anchor;
  }

  /**
   * Follows an answer of Redis. The answer is taken to be from the middle of the time that the call
   * took, so it is off by half of that at most.
   */
  void follow(Instant redis, long sentNanos, long answeredNanos) {
    Instant redisNow = redis.plusNanos((answeredNanos - sentNanos) / 2);
    anchor.updateAndGet(
        current -> {
          Instant shown = current.at(answeredNanos);
          return shown.isAfter(redisNow)
              ? new Anchor(shown, answeredNanos, Duration.between(redisNow, shown).toNanos())
              : new Anchor(redisNow, answeredNanos, 0);
        });
  }

  /** Starts from an answer, whatever was shown before: for the first look only. */
  void start(Instant redis, long sentNanos, long answeredNanos) {
    anchor.set(new Anchor(redis.plusNanos((answeredNanos - sentNanos) / 2), answeredNanos, 0));
  }

  @Override
  public Clock clock() {
    return this;
  }

  @Override
  public String forScripts() {
    return "";
  }

  @Override
  public Instant instant() {
    return Objects.requireNonNull(anchor.get()).at(System.nanoTime());
  }

  @Override
  public ZoneId getZone() {
    return zone;
  }

  @Override
  public Clock withZone(ZoneId other) {
    return new RedisClock(other, anchor);
  }
}
