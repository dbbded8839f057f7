package io.asynq4j.inspect;

import io.asynq4j.TaskInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the tasks of a state. Immutable.
 *
 * @param total how many tasks there are in this state
 * @param cursor for the next page; null when this one is the last
 * @param unreadable ids of tasks on this page whose record is missing or cannot be read; they can
 *     be deleted
 */
public record TaskPage(
    List<TaskInfo> tasks, long total, @Nullable String cursor, List<String> unreadable) {

  public TaskPage {
    tasks = List.copyOf(tasks);
    unreadable = List.copyOf(unreadable);
  }
}
