package io.asynq4j.internal.redis.store;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What proves that a lease is one's own. Its first six digits, never all zero, stand behind the
 * point of the lease's score, where a Go worker writes none; all of it stands in the task's record.
 *
 * <p>Tokens are given to workers outside of this process, so nobody may derive one from others.
 */
final class LeaseToken {

  /** Of no lease: there, the digits are never all zero. */
  private static final String NONE = "000000-";

  private static final Pattern FORM = Pattern.compile("\\d{6}-[0-9a-z]+");

  private static final SecureRandom RANDOM = new SecureRandom();

  /** As many as the largest number needs in base 36. */
  private static final int RANDOM_DIGITS = 13;

  private static final int TIME_DIGITS = 9;
  private static final int LENGTH = "000000-".length() + RANDOM_DIGITS + TIME_DIGITS;

  private LeaseToken() {}

  /**
   * A new one that also says when it was made. Redis has all of it, so whoever shows it cannot have
   * changed the time.
   */
  static String next(Instant now) {
    String token = next();
    int random = token.indexOf('-') + 1;
    return token.substring(0, random)
        + padded(token.substring(random), RANDOM_DIGITS)
        + padded(Long.toString(now.toEpochMilli(), Character.MAX_RADIX), TIME_DIGITS);
  }

  private static String padded(String digits, int length) {
    return "0".repeat(Math.max(0, length - digits.length())) + digits;
  }

  /** When a token was made that Redis knows; empty for those of versions that did not say it. */
  static Optional<Instant> timeOf(String token) {
    return token.length() == LENGTH && FORM.matcher(token).matches()
        ? Optional.of(
            Instant.ofEpochMilli(
                Long.parseLong(token, LENGTH - TIME_DIGITS, LENGTH, Character.MAX_RADIX)))
        : Optional.empty();
  }

  /** Six digits and a secret, without a time. */
  static String next() {
    // In one piece: each request to the source costs more than the bytes.
    byte[] bytes = new byte[Long.BYTES * 2];
    RANDOM.nextBytes(bytes);
    ByteBuffer random = ByteBuffer.wrap(bytes);
    long fraction = 1 + Math.floorMod(random.getLong(), 999_999L);
    String digits = Long.toString(1_000_000 + fraction).substring(1);
    return digits + "-" + Long.toString(random.getLong() >>> 1, 36);
  }

  /** What comes from outside, in a form that the scripts can compare with any lease. */
  static String orNone(String token) {
    return FORM.matcher(token).matches() ? token : NONE;
  }
}
