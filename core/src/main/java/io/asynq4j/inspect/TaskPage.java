package io.asynq4j.inspect;

import io.asynq4j.TaskInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A page of the tasks of a state, or of those that a search has found. Immutable. */
public sealed interface TaskPage permits TaskPageRecord {

  /** The tasks, in the order of the list. */
  List<TaskInfo> tasks();

  /** The number of tasks read, including unreadable ones and those that a search did not match. */
  long looked();

  /** The number of tasks in the state. */
  long total();

  /**
   * Where to continue: for {@link PageRequest#after} if the page is of a list, and for {@link
   * Selection#after} if it is of a search. Null if this page is the last.
   */
  @Nullable String cursor();

  /**
   * The IDs of tasks on this page whose record is missing or cannot be read; they can be deleted.
   * Empty for a search.
   */
  List<String> unreadable();

  /** Returns a page, for inspectors, tests and fakes. */
  static TaskPage of(
      List<TaskInfo> tasks,
      long looked,
      long total,
      @Nullable String cursor,
      List<String> unreadable) {
    return new TaskPageRecord(List.copyOf(tasks), looked, total, cursor, List.copyOf(unreadable));
  }
}
