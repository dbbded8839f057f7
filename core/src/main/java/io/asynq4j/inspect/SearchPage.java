package io.asynq4j.inspect;

import io.asynq4j.TaskInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a search has found so far. Immutable.
 *
 * @param looked how many tasks it has looked at
 * @param total how many there are to look at
 * @param cursor where to go on; null when it has looked at all
 */
public record SearchPage(List<TaskInfo> tasks, long looked, long total, @Nullable String cursor) {

  public SearchPage {
    tasks = List.copyOf(tasks);
  }
}
