package io.asynq4j.cli.dash.data;

import io.asynq4j.TaskState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Data that the current view needs. Immutable. */
public sealed interface Query {

  /** The overview of queues is always loaded, starting with these rows. */
  record Queues(List<String> visible) implements Query {
    public Queues {
      visible = List.copyOf(visible);
    }
  }

  /**
   * One page of tasks.
   *
   * @param search search expression; empty for all tasks
   * @param cursor end of the previous page; only for a search
   */
  record Tasks(
      String queue,
      TaskState state,
      @Nullable String group,
      long offset,
      int limit,
      String search,
      @Nullable String cursor)
      implements Query {}

  record Groups(String queue) implements Query {}

  record Task(String queue, String id) implements Query {}

  /** Daily counts of a queue for a number of days. */
  record History(String queue, int days) implements Query {}

  record Servers() implements Query {}

  record Schedules() implements Query {}

  /** Tasks that a schedule entry has enqueued. */
  record Events(String entry, int offset, int limit) implements Query {}

  record Redis() implements Query {}
}
