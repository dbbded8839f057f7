package io.asynq4j.cli.dash.model;

/** What a key makes happen outside of the model. Immutable. */
public sealed interface SideEffect {

  record Act(OperatorAction action) implements SideEffect {}

  /** Look again at once, at everything. */
  record Refresh() implements SideEffect {}

  /** Paint all of the screen anew. */
  record Redraw() implements SideEffect {}

  record Quit() implements SideEffect {}
}
