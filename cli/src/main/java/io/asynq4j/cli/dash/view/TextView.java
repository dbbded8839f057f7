package io.asynq4j.cli.dash.view;

/** A scrollable text view. */
public sealed interface TextView extends View permits TaskView, HistoryView, HelpView {

  /** First visible line. */
  int top();

  TextView from(int top);
}
