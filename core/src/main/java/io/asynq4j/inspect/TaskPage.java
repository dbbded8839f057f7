package io.asynq4j.inspect;

import io.asynq4j.TaskInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of the tasks of a state. Immutable.
 *
 * @param total number of tasks in the state
 * @param cursor for the next page; null if this one is the last
 * @param unreadable IDs of tasks on this page whose record is missing or cannot be read; they can
 *     be deleted
 */
public record TaskPage(
    List<TaskInfo> tasks, long total, @Nullable String cursor, List<String> unreadable) {

  public TaskPage {
    tasks = List.copyOf(tasks);
    unreadable = List.copyOf(unreadable);
  }
}
