package io.asynq4j.cli.dash.data;

import io.asynq4j.TaskState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is to be looked up for the view that is shown. Immutable. */
public sealed interface Query {

  /** The overview of queues is looked up in any case; these rows of it first. */
  record Queues(List<String> visible) implements Query {
    public Queues {
      visible = List.copyOf(visible);
    }
  }

  /**
   * A page of tasks.
   *
   * @param search what they have to match; empty for all
   * @param cursor where the page before ended; only for a search
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

  /** What was done with tasks of a queue on so many days. */
  record History(String queue, int days) implements Query {}

  record Servers() implements Query {}

  record Schedules() implements Query {}

  /** What an entry of a scheduler has enqueued. */
  record Events(String entry, int offset, int limit) implements Query {}

  record Redis() implements Query {}
}
