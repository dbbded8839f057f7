package io.asynq4j.cli.output;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A column of the output. Immutable.
 *
 * @param title title in tables; empty if the column is not shown there
 * @param key key in JSON and CSV
 * @param value value in JSON and CSV: text, number, boolean, time, map or list; null if there is
 *     none
 * @param shown text in tables
 * @param style color of the text
 * @param right whether the text is right-aligned
 * @param flexible whether the text may be truncated if there is no room
 * @param optional whether the column may be dropped from a table if there is no room
 */
public record Column<T>(
    String title,
    String key,
    Function<T, @Nullable Object> value,
    Function<T, String> shown,
    Style<T> style,
    boolean right,
    boolean flexible,
    boolean optional) {

  /** Colors a text depending on its row. */
  @FunctionalInterface
  public interface Style<T> {
    String apply(AnsiColors colors, T row, String text);
  }

  public static <T> Column<T> of(String title, String key, Function<T, @Nullable Object> value) {
    return new Column<>(
        title,
        key,
        value,
        row -> CellFormatter.shown(value.apply(row)),
        (colors, row, text) -> text,
        /* right= */ false,
        /* flexible= */ false,
        /* optional= */ false);
  }

  /** A numeric column. */
  public static <T> Column<T> count(String title, String key, Function<T, @Nullable Object> value) {
    Column<T> column = of(title, key, value);
    return new Column<>(
        title,
        key,
        value,
        column.shown,
        column.style,
        /* right= */ true,
        /* flexible= */ false,
        /* optional= */ false);
  }

  /** A column for JSON and CSV only. */
  public static <T> Column<T> data(String key, Function<T, @Nullable Object> value) {
    return of("", key, value);
  }

  public Column<T> shownAs(Function<T, String> newShown) {
    return new Column<>(title, key, value, newShown, style, right, flexible, optional);
  }

  public Column<T> styled(Style<T> newStyle) {
    return new Column<>(title, key, value, shown, newStyle, right, flexible, optional);
  }

  public Column<T> mayBeCut() {
    return new Column<>(title, key, value, shown, style, right, /* flexible= */ true, optional);
  }

  public Column<T> mayBeLeftOut() {
    return new Column<>(title, key, value, shown, style, right, flexible, /* optional= */ true);
  }
}
