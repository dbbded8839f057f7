package io.asynq4j.testing.internal;

import io.asynq4j.QueueName;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.time.ElapsedBounds;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A time that stands still until a test moves it, for Java and for scripts. Thread-safe. */
final class TestTime implements BrokerTime {

  /** Longer than any interval in which a connection trusts what it remembers of Redis. */
  private static final long FORGETTING_NANOS = TimeUnit.HOURS.toNanos(1);

  /** The time, shared by the connections of one Redis. */
  static final class Shared {
    private volatile Instant now;
    private final Clock clock;
    private final AtomicLong nanosAhead = new AtomicLong();
    private volatile long movedNanos;

    Shared(Instant now) {
      this.now = now;
      this.movedNanos = System.nanoTime();
      InstantSource source = () -> this.now;
      this.clock = source.withZone(ZoneOffset.UTC);
    }

    Instant now() {
      return now;
    }

    Clock clock() {
      return clock;
    }

    void set(Instant moment) {
      movedNanos = System.nanoTime();
      now = moment;
    }

    /** Lets connections read again what they remember of Redis, since it was emptied. */
    void forget() {
      nanosAhead.addAndGet(FORGETTING_NANOS);
    }
  }

  private final Shared shared;
  private final boolean ofServers;

  /**
   * @param ofServers whether servers use it: their leases do not expire because the time has moved
   */
  TestTime(Shared shared, boolean ofServers) {
    this.shared = shared;
    this.ofServers = ofServers;
  }

  @Override
  public Clock clock() {
    return shared.clock;
  }

  @Override
  public String forScripts() {
    Instant now = shared.now;
    return "%d%06d".formatted(now.getEpochSecond(), now.getNano() / 1000);
  }

  @Override
  public String scriptPrefix() {
    return ExpiringKeys.SCRIPT_PREFIX;
  }

  @Override
  public long nanoTime() {
    return System.nanoTime() + shared.nanosAhead.get();
  }

  @Override
  public ElapsedBounds elapsedSince(Instant moment) {
    Duration elapsed = Duration.between(moment, shared.now);
    return new ElapsedBounds(elapsed, elapsed);
  }

  @Override
  public boolean hasStepped(
      String shard, QueueName queue, Instant now, long sentNanos, Duration lately) {
    return ofServers && System.nanoTime() - shared.movedNanos < lately.toNanos();
  }
}
