package io.asynq4j.inspect;

import io.asynq4j.TaskState;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * An action of an operator on a task, and the states that allow it. The inspector, its selections,
 * the command line and the dashboard apply these rules.
 */
public enum TaskAction {
  /** Make it pending now. */
  RUN("run", EnumSet.complementOf(EnumSet.of(TaskState.ACTIVE, TaskState.PENDING))),
  /** Move it to the archive. */
  ARCHIVE("archived", EnumSet.complementOf(EnumSet.of(TaskState.ACTIVE, TaskState.ARCHIVED))),
  /** Delete it and its unique lock. */
  DELETE("deleted", EnumSet.complementOf(EnumSet.of(TaskState.ACTIVE))),
  /** Ask its worker to stop. */
  CANCEL("cancelled", EnumSet.of(TaskState.ACTIVE)),
  /** Move it to another queue. */
  MOVE("moved", EnumSet.complementOf(EnumSet.of(TaskState.ACTIVE, TaskState.COMPLETED))),
  /** Change the time at which it is due. */
  RESCHEDULE(
      "rescheduled",
      EnumSet.of(TaskState.PENDING, TaskState.SCHEDULED, TaskState.RETRY, TaskState.ARCHIVED)),
  /** Enqueue the same task again with a new ID. */
  COPY("copied", EnumSet.allOf(TaskState.class)),
  /** Replace its payload or its headers. */
  EDIT("edited", EnumSet.complementOf(EnumSet.of(TaskState.ACTIVE, TaskState.COMPLETED)));

  private final String done;

  @SuppressWarnings("ImmutableEnumChecker") // The set is unmodifiable.
  private final Set<TaskState> states;

  TaskAction(String done, EnumSet<TaskState> states) {
    this.done = done;
    this.states = Collections.unmodifiableSet(states);
  }

  /** The states that allow the action. */
  public Set<TaskState> states() {
    return states;
  }

  public boolean isAllowedIn(TaskState state) {
    return states.contains(state);
  }

  /**
   * Throws an {@code IllegalArgumentException} with the {@link #refusal} unless the state allows
   * the action.
   */
  public void require(TaskState state) {
    if (!isAllowedIn(state)) {
      throw new IllegalArgumentException("a task " + refusal(state));
    }
  }

  /** The word for this action in the command line, in the API and on every page. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The participle for refusals and results, as in "cannot be archived" or "3 tasks archived". */
  public String done() {
    return done;
  }

  /**
   * Why a task in this state refuses the action, and what to do instead: "cannot be run in state
   * pending: …".
   */
  public String refusal(TaskState state) {
    return "cannot be %s in state %s: %s".formatted(done, state.word(), reason(state));
  }

  private String reason(TaskState state) {
    if (isAllowedIn(state)) {
      return state == TaskState.AGGREGATING
          ? "it is part of an aggregation under way; try again when that has ended"
          : "it has just changed; check its state, then try again";
    } else if (state == TaskState.ACTIVE) {
      return "a worker is running it; cancel it first";
    } else if (this == RESCHEDULE && state == TaskState.AGGREGATING) {
      return "it waits for its group and not for a time; run it instead";
    }
    return switch (this) {
      case RUN -> "it is already waiting for a worker; check that a server serves its queue";
      case ARCHIVE -> "it is already in the archive; run or delete it";
      case CANCEL -> "no worker is running it; delete it instead";
      default -> "it has ended; copy it instead";
    };
  }
}
