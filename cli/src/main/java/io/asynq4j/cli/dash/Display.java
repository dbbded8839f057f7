package io.asynq4j.cli.dash;

/** The terminal, as far as the dashboard needs it. */
interface Display extends AutoCloseable {

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
