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
 * A table of which as many rows are seen as there is room for, one of them selected. Immutable.
 *
 * @param cells of an item, one for each column
 */
record ScrollableTable<T>(Table table, List<T> items, Function<T, List<List<StyledText>>> cells) {

  /**
   * With its header in row y and the rows below.
   *
   * @return false when there are no rows, so that something else has to be said in their place
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
