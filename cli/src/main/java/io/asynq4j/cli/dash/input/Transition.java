package io.asynq4j.cli.dash.input;

import io.asynq4j.cli.dash.model.DashModel;
import io.asynq4j.cli.dash.model.SideEffect;
import org.jspecify.annotations.Nullable;

/** Result of a key: the next model and a side effect. Immutable. */
public record Transition(DashModel model, @Nullable SideEffect effect) {

  public static Transition to(DashModel model) {
    return new Transition(model, null);
  }
}
