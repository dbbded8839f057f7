package io.asynq4j.cli.dash;

/** What a key makes happen outside of the model. Immutable. */
sealed interface Effect {

  record Act(OperatorAction action) implements Effect {}

  /** Look again at once, at everything. */
  record Refresh() implements Effect {}

  /** Paint all of the screen anew. */
  record Redraw() implements Effect {}

  record Quit() implements Effect {}
}
