package io.asynq4j.internal.text;

/** Beginnings of long texts. */
public final class TextExcerpt {

  private TextExcerpt() {}

  /** At most this many characters of a text; never half of a surrogate pair. */
  public static String of(String text, int longest) {
    if (text.length() <= longest) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(longest - 1)) ? longest - 1 : longest;
    return text.substring(0, end);
  }
}
