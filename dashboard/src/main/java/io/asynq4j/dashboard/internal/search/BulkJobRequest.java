package io.asynq4j.dashboard.internal.search;

import io.asynq4j.AfterCancel;
import io.asynq4j.TaskState;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.inspect.TaskAction;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The action of a job and its parameters. Immutable.
 *
 * @param query null for the doctor
 * @param to target queue of a move; null otherwise
 * @param at new due time of a reschedule; null otherwise
 * @param dropOldest whether archiving deletes the oldest tasks of a full archive
 */
public record BulkJobRequest(
    Action action,
    @Nullable Query query,
    long limit,
    AfterCancel after,
    @Nullable String to,
    @Nullable Instant at,
    boolean dropOldest,
    boolean repair,
    boolean removeUnreadable,
    boolean trimArchives) {

  /** The action of a job: an action on tasks, or one that changes no tasks. */
  public enum Action {
    COUNT(null),
    RUN(TaskAction.RUN),
    ARCHIVE(TaskAction.ARCHIVE),
    DELETE(TaskAction.DELETE),
    CANCEL(TaskAction.CANCEL),
    MOVE(TaskAction.MOVE),
    RESCHEDULE(TaskAction.RESCHEDULE),
    DOCTOR(null);

    private final @Nullable TaskAction taskAction;

    Action(@Nullable TaskAction taskAction) {
      this.taskAction = taskAction;
    }

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Whether the action changes data.
     *
     * @param repair whether the doctor repairs
     */
    public boolean changes(boolean repair) {
      return this != COUNT && (this != DOCTOR || repair);
    }

    public static Action ofWord(String word) {
      for (Action action : values()) {
        if (action.word().equals(word)) {
          return action;
        }
      }
      throw Problems.unprocessable(
          "\""
              + word
              + "\" is not an action of a job; the actions are count, run, archive, delete, cancel, move,"
              + " reschedule and doctor.");
    }
  }

  /** Rejects requests whose effect differs from what the caller expects. */
  public BulkJobRequest {
    if (action != Action.DOCTOR) {
      if (query == null) {
        throw Problems.unprocessable("\"query\" is required: it selects the tasks.");
      }
      if (action.taskAction != null) {
        requireStates(action.taskAction, query);
      }
    }
    if (action == Action.MOVE && to == null) {
      throw Problems.unprocessable("\"queue\" is required: it is the target of the move.");
    }
    if (action == Action.RESCHEDULE && at == null) {
      throw Problems.unprocessable("\"at\" or \"in\" is required.");
    }
    if (limit < 1) {
      throw Problems.unprocessable("\"limit\" must be 1 or more, got " + limit + ".");
    }
  }

  private static void requireStates(TaskAction action, Query query) {
    if (!query.namesState()) {
      throw Problems.unprocessable(
          "The query must contain a state, such as state:archived, so that no task is selected by accident.");
    }
    for (TaskState state : query.states()) {
      if (!action.isAllowedIn(state)) {
        throw Problems.unprocessable(
            "A task " + action.refusal(state) + ". Use other states in the query.");
      }
    }
    if (query.states().isEmpty()) {
      throw Problems.unprocessable("The query excludes every state.");
    }
  }

  boolean changes() {
    return action.changes(repair);
  }
}
