package io.asynq4j.internal.redis.store.task;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Proof of ownership of a lease. The first six digits, never all zero, are the fraction of the
 * lease's score, which is empty for Go workers. The task's record has the whole token.
 *
 * <p>Workers outside of this process receive tokens, so no token may be derivable from others.
 */
final class LeaseToken {

  /** Matches no lease: the digits of a lease are never all zero. */
  private static final String NONE = "000000-";

  private static final Pattern FORM = Pattern.compile("\\d{6}-[0-9a-z]+");

  private static final SecureRandom RANDOM = new SecureRandom();

  private static final int FRACTION_DIGITS = 6;

  /** Number of digits that the largest value needs in base 36. */
  private static final int RANDOM_DIGITS = 13;

  private static final int TIME_DIGITS = 9;
  private static final int LENGTH = FRACTION_DIGITS + 1 + RANDOM_DIGITS + TIME_DIGITS;

  private LeaseToken() {}

  /**
   * Returns a new token: six digits, a secret and its creation time. Redis stores the whole token,
   * so its holder cannot change the time.
   */
  static String next(Instant now) {
    // One read: each call of the random source costs more than the bytes.
    byte[] bytes = new byte[Long.BYTES * 2];
    RANDOM.nextBytes(bytes);
    ByteBuffer random = ByteBuffer.wrap(bytes);
    long fraction = 1 + Math.floorMod(random.getLong(), 999_999L);
    return padded(Long.toString(fraction), FRACTION_DIGITS)
        + "-"
        + padded(Long.toString(random.getLong() >>> 1, Character.MAX_RADIX), RANDOM_DIGITS)
        + padded(Long.toString(now.toEpochMilli(), Character.MAX_RADIX), TIME_DIGITS);
  }

  private static String padded(String digits, int length) {
    return "0".repeat(Math.max(0, length - digits.length())) + digits;
  }

  /**
   * Returns the creation time of a token that Redis knows; empty for tokens of versions without it.
   */
  static Optional<Instant> timeOf(String token) {
    return token.length() == LENGTH && FORM.matcher(token).matches()
        ? Optional.of(
            Instant.ofEpochMilli(
                Long.parseLong(token, LENGTH - TIME_DIGITS, LENGTH, Character.MAX_RADIX)))
        : Optional.empty();
  }

  /** Converts external input to a form that the scripts can compare with any lease. */
  static String orNone(String token) {
    return FORM.matcher(token).matches() ? token : NONE;
  }
}
