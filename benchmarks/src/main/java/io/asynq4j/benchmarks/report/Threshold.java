package io.asynq4j.benchmarks.report;

import java.util.Locale;

/** A limit for a figure: a maximum or a minimum. */
public record Threshold(String what, double value, double limit, boolean isMinimum) {

  public static Threshold atMost(String what, double value, double limit) {
    return new Threshold(what, value, limit, /* isMinimum= */ false);
  }

  public static Threshold atLeast(String what, double value, double limit) {
    return new Threshold(what, value, limit, /* isMinimum= */ true);
  }

  public boolean passed() {
    return isMinimum ? value >= limit : value <= limit;
  }

  public String result() {
    return passed() ? "PASS" : "FAIL";
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s %s: %.2f of %s %.2f",
        result(),
        what,
        value,
        isMinimum ? "at least" : "at most",
        limit);
  }
}
