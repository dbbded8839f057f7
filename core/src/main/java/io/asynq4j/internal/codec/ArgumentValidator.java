package io.asynq4j.internal.codec;

import java.time.Duration;
import java.util.Locale;

/** Validates arguments that users pass. */
public final class ArgumentValidator {

  private ArgumentValidator() {}

  public static void require(boolean condition, String problem) {
    if (!condition) {
      throw new IllegalArgumentException(problem);
    }
  }

  /** Requires a number that is not below the least one. */
  public static void requireAtLeast(long least, long value, String what) {
    if (value < least) {
      throw new IllegalArgumentException(what + " must be " + least + " or greater, got " + value);
    }
  }

  /** Requires a number within these bounds, which belong to the range. */
  public static void requireBetween(long least, long most, long value, String what) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "%s must be %,d to %,d, got %,d", what, least, most, value));
    }
  }

  /** Requires a duration of 0 or more. */
  public static void requireNotNegative(Duration value, String what) {
    if (value.isNegative()) {
      throw new IllegalArgumentException(what + " must not be negative, got " + value);
    }
  }
}
