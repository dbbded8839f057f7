package io.asynq4j.cli.task;

import io.asynq4j.AfterCancel;
import io.asynq4j.cli.frame.Words;

/** What becomes of a cancelled task. */
final class AfterCancelWords extends Words {

  AfterCancelWords() {
    super(AfterCancel.values());
  }
}
