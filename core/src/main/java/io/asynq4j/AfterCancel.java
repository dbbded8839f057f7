package io.asynq4j;

/** What happens to an active task that is cancelled, unless its handler decides otherwise. */
public enum AfterCancel {
  /** The attempt counts as failed and the task is retried, as by Go servers. */
  RETRY,
  /** The task is archived, for operators to inspect. */
  ARCHIVE,
  /** The task is deleted. */
  DELETE
}
