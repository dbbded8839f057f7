package io.asynq4j.cli.output;

import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes maps, lists and values as JSON: indented and colored for terminals, or on one line.
 * Immutable.
 */
public final class JsonWriter {

  private static final String STEP = "  ";

  private final AnsiColors colors;
  private final boolean indented;

  private JsonWriter(AnsiColors colors, boolean indented) {
    this.colors = colors;
    this.indented = indented;
  }

  public static String indented(@Nullable Object value, AnsiColors colors) {
    return new JsonWriter(colors, true).write(value);
  }

  public static String compact(@Nullable Object value) {
    return new JsonWriter(AnsiColors.NONE, false).write(value);
  }

  private String write(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    append(out, value, "");
    return out.toString();
  }

  private void append(StringBuilder out, @Nullable Object value, String indent) {
    if (value == null) {
      out.append(colors.dim("null"));
    } else if (value instanceof Map<?, ?> map) {
      object(out, map, indent);
    } else if (value instanceof Iterable<?> values) {
      array(out, values.iterator(), indent);
    } else if (value instanceof Duration duration) {
      out.append(colors.yellow(number(duration)));
    } else if (value instanceof Number number) {
      out.append(colors.yellow(number.toString()));
    } else if (value instanceof Boolean) {
      out.append(colors.blue(value.toString()));
    } else {
      out.append(colors.green(quoted(value.toString())));
    }
  }

  private void object(StringBuilder out, Map<?, ?> map, String indent) {
    if (map.isEmpty()) {
      out.append("{}");
      return;
    }
    out.append('{');
    String separator = "";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      out.append(separator);
      newLine(out, indent + STEP);
      out.append(colors.cyan(quoted(String.valueOf(entry.getKey())))).append(indented ? ": " : ":");
      append(out, entry.getValue(), indent + STEP);
      separator = ",";
    }
    newLine(out, indent);
    out.append('}');
  }

  private void array(StringBuilder out, Iterator<?> values, String indent) {
    if (!values.hasNext()) {
      out.append("[]");
      return;
    }
    out.append('[');
    while (values.hasNext()) {
      newLine(out, indent + STEP);
      append(out, values.next(), indent + STEP);
      out.append(values.hasNext() ? "," : "");
    }
    newLine(out, indent);
    out.append(']');
  }

  private void newLine(StringBuilder out, String indent) {
    if (indented) {
      out.append('\n').append(indent);
    }
  }

  /** As seconds. */
  static String number(Duration duration) {
    return duration.toNanosPart() == 0
        ? Long.toString(duration.toSeconds())
        : Double.toString(duration.toMillis() / 1000.0);
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          // Escaping keeps control characters of a payload from reaching the terminal.
          if (c < ' ' || (c >= 0x7f && c < 0xa0)) {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    return out.append('"').toString();
  }
}
