package io.asynq4j.testing.internal;

import io.asynq4j.TaskInfo;

/** A condition on a task, with the words for its difference. Immutable. */
public interface Condition {

  /** Returns what is expected, such as {@code queue "mail"}. */
  String expected();

  boolean holds(TaskInfo task);

  /** Returns how a task differs, such as {@code queue is "default"}. */
  String difference(TaskInfo task);
}
