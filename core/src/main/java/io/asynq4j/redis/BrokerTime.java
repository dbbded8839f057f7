package io.asynq4j.redis;

import java.time.Clock;
import java.time.Instant;

/** What time it is for the broker: Redis's own time, or, in tests, the time that was set. */
interface BrokerTime {

  /** For what is computed in Java. */
  Clock clock();

  /**
   * For scripts, in microseconds; empty, so that they look at Redis's clock, unless the time was
   * set.
   */
  String forScripts();

  /** The time of a clock that a test sets. */
  static BrokerTime of(Clock clock) {
    return new BrokerTime() {
      @Override
      public Clock clock() {
        return clock;
      }

      @Override
      public String forScripts() {
        Instant now = clock.instant();
        return String.format("%d%06d", now.getEpochSecond(), now.getNano() / 1000);
      }
    };
  }
}
