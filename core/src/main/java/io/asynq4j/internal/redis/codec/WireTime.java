package io.asynq4j.internal.redis.codec;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A time in messages about servers and schedulers. An absent time is the start of 1970, as in Go.
 */
record WireTime(long seconds, int nanos) {

  static final WireTime EPOCH = new WireTime(0, 0);

  /** Go's zero time, which stands for "never"; an absent time would be read as 1970 there. */
  private static final WireTime NEVER = new WireTime(-62135596800L, 0);

  private static final int SECONDS = 1 << WireType.BITS | WireType.VARINT;
  private static final int NANOS = 2 << WireType.BITS | WireType.VARINT;

  private static final int MAX_NANOS = 999_999_999;

  static WireTime of(@Nullable Instant instant) {
    return instant == null ? NEVER : new WireTime(instant.getEpochSecond(), instant.getNano());
  }

  /** Reads the next time. Absent parts keep the values of this one. */
  WireTime merge(WireReader in) throws WireFormatException {
    WireReader message = in.message();
    long newSeconds = seconds;
    int newNanos = nanos;
    for (int tag = message.tag(); tag != 0; tag = message.tag()) {
      switch (tag) {
        case SECONDS -> newSeconds = message.int64();
        case NANOS -> newNanos = message.int32();
        default -> message.skip(tag);
      }
    }
    return new WireTime(newSeconds, newNanos);
  }

  void write(int tag, WireWriter out) {
    int message = out.begin(tag);
    out.nonZero(SECONDS, seconds);
    out.nonZero(NANOS, nanos);
    out.end(message);
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
