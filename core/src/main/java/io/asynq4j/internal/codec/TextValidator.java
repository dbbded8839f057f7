package io.asynq4j.internal.codec;

/** Validates names that are stored in Redis. */
public final class TextValidator {

  private TextValidator() {}

  public static String requireNotBlank(String value, String what) {
    if (value.isBlank()) {
      throw new IllegalArgumentException(
          what + " must contain one or more characters: \"" + value + "\"");
    }
    return value;
  }

  // Half a surrogate pair has no UTF-8 form; Go refuses to read a message that holds one.
  public static String requireValidUnicode(String value, String what) {
    for (int i = 0; i < value.length(); i++) {
      if (Character.isSurrogate(value.charAt(i))) {
        if (!isPair(value, i)) {
          throw new IllegalArgumentException(
              what + " is not valid Unicode text (half a surrogate pair)");
        }
        i++;
      }
    }
    return value;
  }

  private static boolean isPair(String value, int at) {
    return at + 1 < value.length()
        && Character.isSurrogatePair(value.charAt(at), value.charAt(at + 1));
  }
}
