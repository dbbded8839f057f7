package io.asynq4j.cli.dash.terminal;

import io.asynq4j.cli.dash.screen.CharacterGrid;
import io.asynq4j.cli.dash.screen.ScreenSize;

/** The terminal, as far as the dashboard needs it. */
public interface Display extends AutoCloseable {

  ScreenSize size();

  /**
   * Shows a grid.
   *
   * @param isComplete paints everything anew, whatever is there
   */
  void show(CharacterGrid grid, boolean isComplete);

  /** Leaves the terminal as it was. */
  @Override
  void close();
}
