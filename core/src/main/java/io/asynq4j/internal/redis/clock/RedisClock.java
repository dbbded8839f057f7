package io.asynq4j.internal.redis.clock;

import io.asynq4j.QueueName;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.time.ElapsedBounds;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * A clock that follows the clock of Redis. It synchronizes with Redis periodically and uses this
 * machine's monotonic timer in between. After the first synchronization it never steps back.
 * Thread-safe.
 */
public final class RedisClock implements InstantSource, BrokerTime {

  private static final int MOST_STEPS = 64;

  /** A step forward that this clock has followed. */
  private record Step(Instant from, Instant to) {

    Duration size() {
      return Duration.between(from, to);
    }

    /**
     * Returns whether a moment was shown before the step. Other processes notice a step slightly
     * earlier or later: what they show meanwhile is close to one end of the step.
     */
    boolean isAfter(Instant moment) {
      return moment.isBefore(from.plus(size().dividedBy(2)));
    }
  }

  /**
   * The time shown at a timer value, and its lead over Redis. A lead is reduced by running at half
   * speed until Redis has caught up.
   *
   * @param sinceNanos the timer value at which this clock began to follow Redis
   * @param steps the steps since then
   */
  private record Anchor(
      Instant shown, long nanoTime, long aheadNanos, long sinceNanos, List<Step> steps) {

    static Anchor first(Instant shown, long nanoTime) {
      return new Anchor(shown, nanoTime, 0, nanoTime, List.of());
    }

    Instant at(long now) {
      long elapsed = Math.max(0, now - nanoTime);
      return shown.plusNanos(elapsed - Math.min(aheadNanos, elapsed / 2));
    }

    Anchor stepTo(Instant redisNow, long now) {
      Step step = new Step(at(now), redisNow);
      if (step.size().compareTo(ClockStepDetector.STEP) <= 0) {
        return new Anchor(redisNow, now, 0, sinceNanos, steps);
      }
      List<Step> all = new ArrayList<>(steps);
      all.add(step);
      return all.size() > MOST_STEPS
          ? first(redisNow, now)
          : new Anchor(redisNow, now, 0, sinceNanos, List.copyOf(all));
    }
  }

  private final LongSupplier timer;
  private final Clock clock = withZone(ZoneOffset.UTC);
  private final ClockStepDetector steps = new ClockStepDetector();
  private volatile Anchor anchor;
  // Without it, time could step back between a thread with the old anchor and one with the new.
  private final AtomicReference<Instant> latest;

  public RedisClock() {
    this(System::nanoTime, Clock.systemUTC().instant());
  }

  public RedisClock(LongSupplier timer, Instant now) {
    this.timer = timer;
    this.anchor = Anchor.first(now, timer.getAsLong());
    this.latest = new AtomicReference<>(now);
  }

  /**
   * Starts from a reply, regardless of what was shown before. Only for the first synchronization.
   */
  public synchronized void start(Instant redis, long sentNanos, long answeredNanos) {
    Instant redisNow = redis.plusNanos((answeredNanos - sentNanos) / 2);
    anchor = Anchor.first(redisNow, answeredNanos);
    latest.set(redisNow);
  }

  /**
   * Follows a reply of Redis. The reply may stem from any moment of the call; the middle is
   * assumed. A slow reply changes nothing unless it proves the clock wrong.
   */
  public synchronized void follow(Instant redis, long sentNanos, long answeredNanos) {
    long roundTrip = answeredNanos - sentNanos;
    Instant redisNow = redis.plusNanos(roundTrip / 2);
    Anchor current = anchor;
    Instant shown = current.at(answeredNanos);
    if (shown.isBefore(redis)) {
      anchor = current.stepTo(redisNow, answeredNanos);
    } else if (shown.isAfter(redis.plusNanos(roundTrip))) {
      long ahead = Duration.between(redisNow, shown).toNanos();
      anchor = new Anchor(shown, answeredNanos, ahead, current.sinceNanos(), current.steps());
    }
  }

  @Override
  public long nanoTime() {
    return timer.getAsLong();
  }

  /** Records the time of a server, so that a step of its clock is detected. */
  public void look(String shard, Instant redis, long sentNanos, long answeredNanos) {
    steps.note(shard, redis, sentNanos, answeredNanos, Duration.ZERO);
  }

  @Override
  public boolean hasStepped(
      String shard, QueueName queue, Instant now, long sentNanos, Duration lately) {
    long answered = timer.getAsLong();
    // The server's clock may have stepped, or the queue may have moved to a server that is ahead.
    boolean ofShard = steps.note(shard, now, sentNanos, answered, lately);
    boolean ofQueue = steps.note(RedisKeys.prefix(queue), now, sentNanos, answered, lately);
    return ofShard || ofQueue;
  }

  @Override
  public ElapsedBounds elapsedSince(Instant moment) {
    long now = timer.getAsLong();
    Anchor current = anchor;
    Duration most = Duration.between(moment, current.at(now));
    for (Step step : current.steps()) {
      if (step.isAfter(moment)) {
        most = most.minus(step.size());
      }
    }
    Duration observed = Duration.ofNanos(now - current.sinceNanos());
    return new ElapsedBounds(observed.compareTo(most) < 0 ? observed : most, most);
  }

  @Override
  public Clock clock() {
    return clock;
  }

  @Override
  public String forScripts() {
    return "";
  }

  @Override
  public Instant instant() {
    Instant now = anchor.at(timer.getAsLong());
    return latest.accumulateAndGet(now, (shown, next) -> next.isAfter(shown) ? next : shown);
  }
}
