package io.asynq4j.cli.dash.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Selected row and first visible row of a list. Rows are identified by keys, so that the selection
 * stays on its row while others come and go. Immutable.
 *
 * @param key key of the selected row; null if there was none yet
 * @param index last index of the selected row
 */
public record ListPosition(@Nullable String key, int index, int top) {

  static final ListPosition START = new ListPosition(null, 0, 0);

  /** The position in an updated list with this many visible rows. */
  ListPosition in(List<String> keys, int rows) {
    if (keys.isEmpty()) {
      return this;
    }
    int found = key == null ? -1 : keys.indexOf(key);
    return at(found >= 0 ? found : Math.min(index, keys.size() - 1), keys, rows);
  }

  /** Moves the selection: a single step wraps around, larger steps stop at the ends. */
  ListPosition moved(int by, List<String> keys, int rows) {
    if (keys.isEmpty()) {
      return this;
    }
    ListPosition now = in(keys, rows);
    int wanted = now.index + by;
    int last = keys.size() - 1;
    return now.at(
        Math.abs(by) == 1
            ? Math.floorMod(wanted, keys.size())
            : Math.max(0, Math.min(last, wanted)),
        keys,
        rows);
  }

  private ListPosition at(int newIndex, List<String> keys, int rows) {
    int newTop = Math.max(newIndex - rows + 1, Math.min(top, newIndex));
    newTop = Math.max(0, Math.min(newTop, keys.size() - rows));
    return new ListPosition(keys.get(newIndex), newIndex, newTop);
  }
}
