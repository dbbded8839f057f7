package io.asynq4j.cli.output;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One thing that is told of each row. Immutable.
 *
 * @param title what people call it; empty when it is not shown to them
 * @param key what programs call it
 * @param value what programs get: a text, number, truth value, time, map or list; null when there
 *     is none
 * @param shown what people get
 * @param style how that is coloured
 * @param right whether it stands at the right, as numbers do
 * @param flexible whether it may be cut where there is no room
 * @param optional whether it may be left out of a table then
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

  /** Colours a text according to its row. */
  @FunctionalInterface
  public interface Style<T> {
    String apply(AnsiColors ink, T row, String text);
  }

  public static <T> Column<T> of(String title, String key, Function<T, @Nullable Object> value) {
    return new Column<>(
        title,
        key,
        value,
        row -> CellFormatter.shown(value.apply(row)),
        (ink, row, text) -> text,
        /* right= */ false,
        /* flexible= */ false,
        /* optional= */ false);
  }

  /** A number. */
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

  /** Only for programs. */
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
