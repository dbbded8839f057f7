package io.asynq4j.server;

/** What a server does for the queue of a task definition. */
public enum ServingMode {
  /** It processes its tasks. */
  PROCESS,
  /**
   * It takes no tasks, and does the rest for whoever does: due tasks are made pending, tasks of
   * vanished workers are given to others, what has been kept for long enough is deleted.
   */
  UPKEEP,
  NONE
}
