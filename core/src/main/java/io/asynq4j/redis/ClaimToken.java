package io.asynq4j.redis;

import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What proves that a lease is one's own. Its first six digits, never all zero, stand behind the
 * point of the lease's score, where a Go worker writes none; all of it stands in the task's record.
 */
final class ClaimToken {

  private ClaimToken() {}

  static String next() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return String.format(Locale.ROOT, "%06d-", random.nextInt(1, 1_000_000))
        + Long.toString(random.nextLong() >>> 1, 36);
  }

  /** Whether a lease with this score may be the one of a token: the scripts compare it alike. */
  static boolean isOf(String token, String score) {
    try {
      double fraction = Double.parseDouble(score) % 1;
      return Math.round(fraction * 1_000_000) == Integer.parseInt(token.substring(0, 6));
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      return false;
    }
  }
}
