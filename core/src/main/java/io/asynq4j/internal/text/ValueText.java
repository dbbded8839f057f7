package io.asynq4j.internal.text;

import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** The text form of value classes, which is that of records. */
public final class ValueText {

  private ValueText() {}

  /**
   * Returns text such as {@code Point[x=1, y=2]}.
   *
   * @param names the names of the values, separated by spaces
   */
  public static String of(String type, String names, List<? extends @Nullable Object> values) {
    String[] each = names.split(" ", -1);
    StringJoiner text = new StringJoiner(", ", type + "[", "]");
    for (int i = 0; i < each.length; i++) {
      text.add(each[i] + "=" + values.get(i));
    }
    return text.toString();
  }
}
