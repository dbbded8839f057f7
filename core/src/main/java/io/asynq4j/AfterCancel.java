package io.asynq4j;

/** What becomes of a running task that is cancelled, unless its handler decides otherwise. */
public enum AfterCancel {
  /** It counts as failed and is tried again, as Go servers have it. */
  RETRY,
  /** It is archived, for people to look at. */
  ARCHIVE,
  /** It is gone. */
  DELETE
}
