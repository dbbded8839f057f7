package io.asynq4j;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The state of a task. {@link #next()} returns the transitions; docs/reference/states.md has a
 * diagram.
 */
public enum TaskState {
  /** A worker runs the task under a lease. */
  ACTIVE,
  /** Ready to run: waits in its queue for a free worker. */
  PENDING,
  /** Waits until it is due. */
  SCHEDULED,
  /** An attempt failed; waits until the next attempt is due. */
  RETRY,
  /** No more attempts; kept for inspection until the limits of the archive delete it. */
  ARCHIVED,
  /** Succeeded; kept with its result until its retention ends. */
  COMPLETED,
  /** Waits in a group to be combined with other tasks into one. */
  AGGREGATING;

  /**
   * Returns the states that can follow this one. They include this state itself if a transition
   * keeps it, such as rescheduling. A task can also be deleted in every state.
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

  /** Returns whether the task has ended. It runs again only at the request of an operator. */
  public boolean isFinal() {
    return this == ARCHIVED || this == COMPLETED;
  }

  /** Returns the states in which a task can be enqueued. */
  public static Set<TaskState> initial() {
    return EnumSet.of(PENDING, SCHEDULED, AGGREGATING);
  }

  /** Returns the lower-case name that Redis, the command line and the dashboard use. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the state with a lower-case name.
   *
   * @throws IllegalArgumentException if no state has this name
   */
  public static TaskState ofWord(String word) {
    for (TaskState state : values()) {
      if (state.word().equals(word)) {
        return state;
      }
    }
    String words = Arrays.stream(values()).map(TaskState::word).collect(Collectors.joining(", "));
    throw new IllegalArgumentException(
        "\"" + word + "\" is not a task state; the states are " + words);
  }
}
