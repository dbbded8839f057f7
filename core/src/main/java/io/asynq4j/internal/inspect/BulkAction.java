package io.asynq4j.internal.inspect;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An action on many tasks of a queue, by ID.
 *
 * @param takesOut whether it removes tasks from their state
 * @param oncePerTask whether a task may stay in its container at another position, where a scan
 *     returns it again, and must not be acted on again
 */
public record BulkAction(
    boolean takesOut, boolean oncePerTask, Function<List<String>, Result> function) {

  /**
   * The result for some tasks.
   *
   * @param problems for each task why the action failed, or null
   * @param dropped number of archived tasks deleted to make room
   * @param obstacle why no further action is possible; null while it is
   */
  public record Result(List<@Nullable String> problems, long dropped, @Nullable String obstacle) {}
}
