package io.asynq4j.cli.dash;

import org.jspecify.annotations.Nullable;

/** What a key leads to. Immutable. */
record Step(Model model, @Nullable Effect effect) {

  static Step to(Model model) {
    return new Step(model, null);
  }
}
