package io.asynq4j.cli.dash.view;

/** A view that is text to scroll in. */
public sealed interface TextView extends View permits TaskView, HistoryView, HelpView {

  /** The first line that is seen. */
  int top();

  TextView from(int top);
}
