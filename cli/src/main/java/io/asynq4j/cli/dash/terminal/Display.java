package io.asynq4j.cli.dash.terminal;

import io.asynq4j.cli.dash.screen.CharacterGrid;
import io.asynq4j.cli.dash.screen.ScreenSize;

/** Terminal operations of the dashboard. */
public interface Display extends AutoCloseable {

  ScreenSize size();

  /**
   * Shows a grid.
   *
   * @param isComplete whether to redraw everything instead of only the changes
   */
  void show(CharacterGrid grid, boolean isComplete);

  /** Restores the terminal. */
  @Override
  void close();
}
