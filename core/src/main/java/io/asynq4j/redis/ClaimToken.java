package io.asynq4j.redis;

import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/**
 * What proves that a lease is one's own. Its first six digits, never all zero, stand behind the
 * point of the lease's score, where a Go worker writes none; all of it stands in the task's record.
 */
final class ClaimToken {

  /** Of no lease: there, the digits are never all zero. */
  private static final String NONE = "000000-";

  private static final Pattern FORM = Pattern.compile("\\d{6}-[0-9a-z]+");

  private ClaimToken() {}

  static String next() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    String digits = Integer.toString(1_000_000 + random.nextInt(1, 1_000_000)).substring(1);
    return digits + "-" + Long.toString(random.nextLong() >>> 1, 36);
  }

  /** What comes from outside, in a form that the scripts can compare with any lease. */
  static String orNone(String token) {
    return FORM.matcher(token).matches() ? token : NONE;
  }
}
