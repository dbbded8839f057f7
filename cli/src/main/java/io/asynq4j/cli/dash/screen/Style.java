package io.asynq4j.cli.dash.screen;

import io.asynq4j.TaskState;

/** Meaning of a piece of text; the terminal maps it to a color. */
public enum Style {
  PLAIN,
  DIM,
  BOLD,
  TITLE,
  BANNER,
  HEADER,
  SELECTED,
  TAB,
  GOOD,
  WARN,
  BAD,
  ACTIVE,
  PENDING,
  AGGREGATING,
  SCHEDULED,
  RETRY,
  ARCHIVED,
  COMPLETED;

  public static Style of(TaskState state) {
    return switch (state) {
      case ACTIVE -> ACTIVE;
      case PENDING -> PENDING;
      case AGGREGATING -> AGGREGATING;
      case SCHEDULED -> SCHEDULED;
      case RETRY -> RETRY;
      case ARCHIVED -> ARCHIVED;
      case COMPLETED -> COMPLETED;
    };
  }
}
