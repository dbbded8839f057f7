package io.asynq4j;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * State of a task in its life cycle. {@link #next()} has the allowed transitions;
 * docs/reference/states.md draws them.
 */
public enum TaskState {
  /** A worker has it, under a lease. */
  ACTIVE,
  /** Ready to run. */
  PENDING,
  /** Waits for its time. */
  SCHEDULED,
  /** Failed, and waits for its next attempt. */
  RETRY,
  /** Given up; kept for people to look at. */
  ARCHIVED,
  /** Succeeded, and is kept for its retention. */
  COMPLETED,
  /** Waits in a group to become part of one task. */
  AGGREGATING;

  /**
   * The states that a task can be in next. Any state but {@link #ACTIVE} may also end in deletion,
   * and so may it.
   */
  public Set<TaskState> next() {
    return switch (this) {
      case ACTIVE -> EnumSet.of(ACTIVE, PENDING, SCHEDULED, RETRY, ARCHIVED, COMPLETED);
      case PENDING -> EnumSet.of(ACTIVE, SCHEDULED, ARCHIVED);
      case SCHEDULED -> EnumSet.of(SCHEDULED, PENDING, AGGREGATING, ARCHIVED);
      case RETRY -> EnumSet.of(RETRY, PENDING, AGGREGATING, ARCHIVED);
      case ARCHIVED -> EnumSet.of(PENDING, SCHEDULED);
      case COMPLETED -> EnumSet.of(PENDING, ARCHIVED);
      case AGGREGATING -> EnumSet.of(AGGREGATING, PENDING, ARCHIVED);
    };
  }

  /** Whether the task has ended: only an operator makes it run again. */
  public boolean isFinal() {
    return this == ARCHIVED || this == COMPLETED;
  }

  /** The states that a new task can be in. */
  public static Set<TaskState> initial() {
    return EnumSet.of(PENDING, SCHEDULED, AGGREGATING);
  }

  /** The word for this state in Redis, in the command line and on every page. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static TaskState ofWord(String word) {
    for (TaskState state : values()) {
      if (state.word().equals(word)) {
        return state;
      }
    }
    throw new IllegalArgumentException(
        "\"" + word + "\" is not a task state; the states are " + words());
  }

  private static String words() {
    return String.join(", ", EnumSet.allOf(TaskState.class).stream().map(TaskState::word).toList());
  }
}
