package io.asynq4j.internal.redis.simulation;

import java.util.Locale;

/**
 * A lease: the second it ends, and the digits of the claim behind the point; none for a Go
 * worker's.
 */
record ModelLease(long second, int digits) {

  static ModelLease of(long second, String token) {
    return new ModelLease(second, digits(token));
  }

  static ModelLease ofScore(String score) {
    double value = Double.parseDouble(score);
    long second = (long) Math.floor(value);
    return new ModelLease(second, (int) Math.round((value - second) * 1_000_000));
  }

  static int digits(String token) {
    return Integer.parseInt(token.substring(0, 6));
  }

  boolean isGo() {
    return digits == 0;
  }

  double score() {
    return second + digits / 1e6;
  }

  @Override
  public String toString() {
    return isGo() ? Long.toString(second) : String.format(Locale.ROOT, "%d.%06d", second, digits);
  }
}
