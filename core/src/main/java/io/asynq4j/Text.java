package io.asynq4j;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The rules for names that end up in Redis. */
final class Text {

  private Text() {}

  static String requireNotBlank(String value, String what) {
    if (value.isBlank()) {
      throw new IllegalArgumentException(
          what + " must contain one or more characters: \"" + value + "\"");
    }
    return value;
  }

  // Half a surrogate pair has no UTF-8 form; Go refuses to read a message that holds one.
  static String requireValidUnicode(String value, String what) {
    try {
      StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(value));
      return value;
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          what + " is not valid Unicode text (half a surrogate pair)", e);
    }
  }
}
