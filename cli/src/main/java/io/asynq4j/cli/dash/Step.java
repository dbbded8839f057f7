package io.asynq4j.cli.dash;

import org.jspecify.annotations.Nullable;

/** What a key leads to. Immutable. */
record Step(DashModel model, @Nullable Effect effect) {

  static Step to(DashModel model) {
    return new Step(model, null);
  }
}
