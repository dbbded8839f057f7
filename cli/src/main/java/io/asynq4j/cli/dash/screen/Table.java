package io.asynq4j.cli.dash.screen;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Columns fitted into a width: if there is too little room, the least important columns are
 * dropped; if there is more than enough, the flexible column gets the rest. Immutable.
 */
public final class Table {

  private static final int GAP = 1;
  private static final int MOST_FLEXIBLE = 60;

  /**
   * A column.
   *
   * @param importance columns with the lowest importance are dropped first
   * @param isFlexible whether the column takes the remaining width
   */
  public record Column(
      String title, int width, int importance, boolean isRight, boolean isFlexible) {

    public static Column left(String title, int width, int importance) {
      return new Column(title, width, importance, false, false);
    }

    public static Column right(String title, int width, int importance) {
      return new Column(title, width, importance, true, false);
    }

    public static Column flexible(String title, int width, int importance) {
      return new Column(title, width, importance, false, true);
    }
  }

  private final List<Column> columns;
  private final List<Integer> widths;

  public Table(int width, List<Column> columns) {
    this.columns = List.copyOf(columns);
    List<Column> kept = new ArrayList<>(columns);
    while (kept.size() > 1 && needed(kept) > width) {
      kept.remove(kept.stream().min(Comparator.comparingInt(Column::importance)).orElseThrow());
    }
    int spare = Math.max(0, width - needed(kept));
    long flexible = kept.stream().filter(Column::isFlexible).count();
    List<Integer> fitted = new ArrayList<>();
    for (Column column : columns) {
      if (!kept.contains(column)) {
        fitted.add(0);
      } else if (column.isFlexible()) {
        int share = (int) (spare / flexible);
        boolean isLast = flexible == 1;
        fitted.add(
            column.width() + (isLast ? spare : Math.min(share, MOST_FLEXIBLE - column.width())));
        spare -= fitted.get(fitted.size() - 1) - column.width();
        flexible--;
      } else {
        fitted.add(column.width());
      }
    }
    this.widths = List.copyOf(fitted);
  }

  private static int needed(List<Column> columns) {
    return columns.stream().mapToInt(Column::width).sum() + GAP * (columns.size() - 1);
  }

  /** Width of a column; 0 if it was dropped. */
  public int width(int column) {
    return widths.get(column);
  }

  public void header(CharacterGrid grid, int y) {
    grid.fill(y, "", Style.HEADER);
    int x = 0;
    for (int i = 0; i < columns.size(); i++) {
      if (width(i) > 0) {
        Column column = columns.get(i);
        grid.put(x, y, TerminalText.pad(column.title(), width(i), column.isRight()), Style.HEADER);
        x += width(i) + GAP;
      }
    }
  }

  /** Paints a row. Cells with their own style keep it when the row is selected. */
  public void row(CharacterGrid grid, int y, boolean isSelected, List<List<StyledText>> cells) {
    Style base = isSelected ? Style.SELECTED : Style.PLAIN;
    grid.fill(y, "", base);
    int x = 0;
    for (int i = 0; i < columns.size(); i++) {
      if (width(i) > 0) {
        cell(grid, x, y, i, cells.get(i), isSelected);
        x += width(i) + GAP;
      }
    }
  }

  private void cell(
      CharacterGrid grid, int x, int y, int column, List<StyledText> spans, boolean isSelected) {
    if (spans.size() == 1) {
      StyledText only = spans.get(0);
      String text = TerminalText.pad(only.text(), width(column), columns.get(column).isRight());
      grid.put(x, y, text, isSelected ? Style.SELECTED : only.style());
      return;
    }
    int at = x;
    for (StyledText span : spans) {
      String text = TerminalText.cut(span.text(), x + width(column) - at);
      at =
          grid.put(
              at,
              y,
              text,
              isSelected && span.style() == Style.PLAIN ? Style.SELECTED : span.style());
    }
  }

  public static List<StyledText> text(String text) {
    return List.of(StyledText.plain(text));
  }

  public static List<StyledText> text(String text, Style style) {
    return List.of(new StyledText(text, style));
  }
}
