package io.asynq4j.cli.dash.render;

import io.asynq4j.cli.dash.model.DashModel;
import io.asynq4j.cli.dash.screen.CharacterGrid;
import io.asynq4j.cli.dash.screen.StyledText;
import io.asynq4j.cli.dash.screen.Table;
import io.asynq4j.cli.dash.view.ListPosition;
import io.asynq4j.cli.dash.view.ListView;
import java.util.List;
import java.util.function.Function;

/**
 * A table that shows as many rows as fit, one of them selected. Immutable.
 *
 * @param cells cells of an item, one per column
 */
record ScrollableTable<T>(Table table, List<T> items, Function<T, List<List<StyledText>>> cells) {

  /**
   * Paints the header in row y and the rows below it.
   *
   * @return false if there are no rows, so that the caller shows a message instead
   */
  boolean paint(CharacterGrid grid, DashModel model, ListView view, int y) {
    table.header(grid, y);
    if (items.isEmpty()) {
      return false;
    }
    ListPosition place = view.placeNow(model.size());
    int end = Math.min(items.size(), place.top() + view.rows(model.size()));
    for (int i = place.top(); i < end; i++) {
      int row = y + 1 + i - place.top();
      table.row(grid, row, i == place.index(), cells.apply(items.get(i)));
    }
    return true;
  }
}
