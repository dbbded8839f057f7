package io.asynq4j.cli.dash.model;

/** Effect of a key outside the model. Immutable. */
public sealed interface SideEffect {

  record Act(OperatorAction action) implements SideEffect {}

  /** Refresh everything at once. */
  record Refresh() implements SideEffect {}

  /** Redraw the whole screen. */
  record Redraw() implements SideEffect {}

  record Quit() implements SideEffect {}
}
