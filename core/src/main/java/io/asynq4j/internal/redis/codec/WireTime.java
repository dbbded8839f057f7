package io.asynq4j.internal.redis.codec;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A time in messages about servers and schedulers. An absent time is the start of 1970, as in Go.
 */
record WireTime(long seconds, int nanos) {

  /** Go's zero time, which stands for "never"; an absent time would be read as 1970 there. */
  private static final WireTime NEVER = new WireTime(-62135596800L, 0);

  static final int SECONDS = 1;
  static final int NANOS = 2;

  private static final int MAX_NANOS = 999_999_999;

  static WireTime of(@Nullable Instant instant) {
    return instant == null ? NEVER : new WireTime(instant.getEpochSecond(), instant.getNano());
  }

  void write(int tag, WireWriter out) {
    WireWriter time = new WireWriter(0);
    time.nonZero(WireType.varint(SECONDS), seconds);
    time.nonZero(WireType.varint(NANOS), nanos);
    out.message(tag, time);
  }

  /** The time, or null for "never". */
  @Nullable Instant orNever() {
    return seconds == NEVER.seconds ? null : toInstant();
  }

  /**
   * Returns the nearest time that Java can express: a single invalid date must not fail a whole
   * batch.
   */
  Instant toInstant() {
    long nearest =
        Math.max(Instant.MIN.getEpochSecond(), Math.min(Instant.MAX.getEpochSecond(), seconds));
    return Instant.ofEpochSecond(
        nearest, nearest == seconds ? Math.max(0, Math.min(MAX_NANOS, nanos)) : 0);
  }
}
