package io.asynq4j.definition;

import java.util.Locale;

/** Who executes the tasks of a name. */
public enum TaskKind {
  /** The task service, by calling a URL. */
  HTTP,
  /** The task service, by running a program. */
  CMD,
  /** Others: a server with a handler for the name, or workers that lease tasks. */
  WORKER;

  /** As it is written in files and in Redis. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
