package io.asynq4j.redis;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that stands still until it is moved. */
final class SettableClock extends Clock {

  private volatile Instant now;

  SettableClock(Instant now) {
    this.now = now;
  }

  void set(Instant instant) {
    this.now = instant;
  }

  void advance(Duration duration) {
    this.now = now.plus(duration);
  }

  @Override
  public Instant instant() {
    return now;
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException("a test has no use for zones");
  }
}
