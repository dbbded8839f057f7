package io.asynq4j.cli.output;

import io.asynq4j.internal.text.DurationFormat;
import java.time.Duration;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Formats values as a single line of text. */
final class CellFormatter {

  private CellFormatter() {}

  /** For tables. */
  static String shown(@Nullable Object value) {
    if (value == null) {
      return "";
    }
    if (value instanceof Integer || value instanceof Long) {
      return "%,d".formatted(((Number) value).longValue());
    }
    if (value instanceof Boolean flag) {
      return flag ? "yes" : "no";
    }
    if (value instanceof Duration duration) {
      return DurationFormat.approximate(duration);
    }
    if (value instanceof Map<?, ?> map) {
      StringJoiner pairs = new StringJoiner(" ");
      map.forEach((key, each) -> pairs.add(key + "=" + each));
      return oneLine(pairs.toString());
    }
    return oneLine(value.toString());
  }

  /** For CSV. */
  static String csv(@Nullable Object value) {
    String text =
        value == null
            ? ""
            : value instanceof Duration duration
                ? JsonWriter.number(duration)
                : value instanceof Map || value instanceof Iterable
                    ? JsonWriter.compact(value)
                    : value.toString();
    return text.matches("(?s).*[\",\r\n].*") || !text.equals(text.strip())
        ? '"' + text.replace("\"", "\"\"") + '"'
        : text;
  }

  /** Replaces line breaks and other control characters, which a terminal would interpret. */
  static String oneLine(String text) {
    return harmless(text.replaceAll("\\s*\\R\\s*", " ").replace('\t', ' '));
  }

  static String harmless(String text) {
    return text.replaceAll("[\\p{Cntrl}&&[^\n\t]]", "�");
  }

  static String cut(String text, int width) {
    return text.codePointCount(0, text.length()) <= width
        ? text
        : text.substring(0, text.offsetByCodePoints(0, Math.max(0, width - 1))) + "…";
  }
}
