package io.asynq4j.internal.codec;

/** Validates texts that are stored in Redis. */
public final class TextValidator {

  private TextValidator() {}

  /** Requires valid text that is not blank. */
  public static String requireName(String value, String what) {
    if (value.isBlank()) {
      throw new IllegalArgumentException(
          what + " must contain one or more characters, got \"" + value + "\"");
    }
    return requireValidUnicode(value, what);
  }

  public static void requireHeader(String name, String value) {
    requireValidUnicode(name, "header name");
    requireValidUnicode(value, "value of header " + name);
  }

  // Half a surrogate pair has no UTF-8 form; Go refuses to read a message that holds one.
  public static String requireValidUnicode(String value, String what) {
    int point;
    for (int i = 0; i < value.length(); i += Character.charCount(point)) {
      point = value.codePointAt(i);
      if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
        throw new IllegalArgumentException(
            what + " is not valid Unicode text (half a surrogate pair)");
      }
    }
    return value;
  }
}
