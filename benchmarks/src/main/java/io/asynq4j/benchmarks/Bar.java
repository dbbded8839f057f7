package io.asynq4j.benchmarks;

import java.util.Locale;

/** A limit that a figure must keep. */
record Bar(String what, double value, double limit) {

  boolean passed() {
    return value <= limit;
  }

  String verdict() {
    return passed() ? "PASS" : "FAIL";
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%s %s: %.2f of %.2f", verdict(), what, value, limit);
  }
}
