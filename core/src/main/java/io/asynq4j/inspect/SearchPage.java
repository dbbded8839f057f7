package io.asynq4j.inspect;

import io.asynq4j.TaskInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of search results. Immutable.
 *
 * @param looked number of tasks read
 * @param total number of tasks in the state
 * @param cursor where to continue; null if all tasks were read
 */
public record SearchPage(List<TaskInfo> tasks, long looked, long total, @Nullable String cursor) {

  public SearchPage {
    tasks = List.copyOf(tasks);
  }
}
