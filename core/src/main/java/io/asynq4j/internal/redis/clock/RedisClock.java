package io.asynq4j.internal.redis.clock;

import io.asynq4j.QueueName;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.time.ElapsedBounds;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * A clock that follows the clock of Redis. It synchronizes with Redis periodically and uses this
 * machine's monotonic timer in between. After the first synchronization it never steps back.
 * Thread-safe.
 */
public final class RedisClock extends Clock implements BrokerTime {

  /** Threshold of a step: larger than the drift between two readings. */
  private static final Duration STEP = Duration.ofSeconds(2);

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

  /** The steps since this clock began to follow Redis, and the timer value of that moment. */
  private record History(long sinceNanos, List<Step> steps) {

    static History from(long nanoTime) {
      return new History(nanoTime, List.of());
    }

    History with(Step step, long now) {
      if (step.size().compareTo(STEP) <= 0) {
        return this;
      }
      List<Step> all = new ArrayList<>(steps);
      all.add(step);
      return all.size() > MOST_STEPS ? from(now) : new History(sinceNanos, List.copyOf(all));
    }
  }

  /**
   * The time shown at a timer value, and its lead over Redis. A lead is reduced by running at half
   * speed until Redis has caught up.
   */
  private record Anchor(Instant shown, long nanoTime, long aheadNanos, History history) {
    Instant at(long now) {
      long elapsed = Math.max(0, now - nanoTime);
      return shown.plusNanos(elapsed - Math.min(aheadNanos, elapsed / 2));
    }
  }

  private final ZoneId zone;
  private final LongSupplier timer;
  private final AtomicReference<Anchor> anchor;
  // Without it, time could step back between a thread with the old anchor and one with the new.
  private final AtomicReference<Instant> latest;
  private final ClockStepDetector steps;

  public RedisClock() {
    this(System::nanoTime, Clock.systemUTC().instant());
  }

  public RedisClock(LongSupplier timer, Instant now) {
    this(
        ZoneOffset.UTC,
        timer,
        new AtomicReference<>(
            new Anchor(now, timer.getAsLong(), 0, History.from(timer.getAsLong()))),
        new AtomicReference<>(now),
        new ClockStepDetector());
  }

  private RedisClock(
      ZoneId zone,
      LongSupplier timer,
      AtomicReference<Anchor> anchor,
      AtomicReference<Instant> latest,
      ClockStepDetector steps) {
    this.zone = zone;
    this.timer = timer;
    this.anchor = anchor;
    this.latest = latest;
    this.steps = steps;
  }

  /**
   * Starts from a reply, regardless of what was shown before. Only for the first synchronization.
   */
  public void start(Instant redis, long sentNanos, long answeredNanos) {
    Instant redisNow = redis.plusNanos((answeredNanos - sentNanos) / 2);
    anchor.set(new Anchor(redisNow, answeredNanos, 0, History.from(answeredNanos)));
    latest.set(redisNow);
  }

  /**
   * Follows a reply of Redis. The reply may stem from any moment of the call; the middle is
   * assumed. A slow reply changes nothing unless it proves the clock wrong.
   */
  public void follow(Instant redis, long sentNanos, long answeredNanos) {
    long roundTrip = answeredNanos - sentNanos;
    Instant redisNow = redis.plusNanos(roundTrip / 2);
    anchor.updateAndGet(
        current -> {
          Instant shown = current.at(answeredNanos);
          if (shown.isBefore(redis)) {
            History history = current.history().with(new Step(shown, redisNow), answeredNanos);
            return new Anchor(redisNow, answeredNanos, 0, history);
          }
          return shown.isAfter(redis.plusNanos(roundTrip))
              ? new Anchor(
                  shown,
                  answeredNanos,
                  Duration.between(redisNow, shown).toNanos(),
                  current.history())
              : current;
        });
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
    Anchor current = Objects.requireNonNull(anchor.get());
    History history = current.history();
    Duration most = Duration.between(moment, current.at(now));
    for (Step step : history.steps()) {
      if (step.isAfter(moment)) {
        most = most.minus(step.size());
      }
    }
    Duration observed = Duration.ofNanos(now - history.sinceNanos());
    return new ElapsedBounds(observed.compareTo(most) < 0 ? observed : most, most);
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
    Instant now = Objects.requireNonNull(anchor.get()).at(timer.getAsLong());
    return latest.accumulateAndGet(now, (shown, next) -> next.isAfter(shown) ? next : shown);
  }

  @Override
  public ZoneId getZone() {
    return zone;
  }

  @Override
  public Clock withZone(ZoneId other) {
    return new RedisClock(other, timer, anchor, latest, steps);
  }
}
