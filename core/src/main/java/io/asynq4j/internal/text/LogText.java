package io.asynq4j.internal.text;

/**
 * Sanitizes texts of tasks and exceptions for logs: one line, no control characters, limited
 * length. This prevents forged log lines through task names.
 */
public final class LogText {

  /** Names longer than this are cut. */
  private static final int LONGEST_NAME = 200;

  private LogText() {}

  /** A name, such as a task type, an ID or a queue. */
  public static String name(String name) {
    return of(name, LONGEST_NAME);
  }

  /** Returns the first characters of a text, with an ellipsis for the rest. */
  public static String of(String text, int longest) {
    boolean isCut = text.length() > longest;
    String kept = isCut ? text.substring(0, longest) : text;
    // By char, so that surrogates count: a pair may be a special character.
    if (!isCut && kept.chars().noneMatch(LogText::mustBeEscaped)) {
      return text;
    }
    StringBuilder escaped = new StringBuilder(kept.length() + 16);
    kept.codePoints().forEach(each -> append(escaped, each));
    return escaped.append(isCut ? "…" : "").toString();
  }

  private static void append(StringBuilder escaped, int codePoint) {
    switch (codePoint) {
      case '\n' -> escaped.append("\\n");
      case '\r' -> escaped.append("\\r");
      case '\t' -> escaped.append("\\t");
      default -> {
        if (mustBeEscaped(codePoint)) {
          escaped.append(String.format("\\u%04x", codePoint));
        } else {
          escaped.appendCodePoint(codePoint);
        }
      }
    }
  }

  private static boolean mustBeEscaped(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          true;
      default -> changesDirection(codePoint);
    };
  }

  /** Characters after which a terminal reorders the rest of the line. */
  private static boolean changesDirection(int codePoint) {
    return (codePoint >= 0x202a && codePoint <= 0x202e)
        || (codePoint >= 0x2066 && codePoint <= 0x2069);
  }
}
