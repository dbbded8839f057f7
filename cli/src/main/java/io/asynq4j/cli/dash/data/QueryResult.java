package io.asynq4j.cli.dash.data;

import io.asynq4j.TaskInfo;
import io.asynq4j.inspect.DayCount;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.inspect.ScheduleSnapshot.ScheduleEvent;
import io.asynq4j.inspect.ServerSnapshot;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What was found for a {@link Query}. Immutable. */
public sealed interface QueryResult {

  /** All queues by name, and what is known of them. */
  record Overview(List<QueueRow> rows, QueueTotals totals) implements QueryResult {
    public Overview {
      rows = List.copyOf(rows);
    }
  }

  /**
   * A page of tasks.
   *
   * @param total how many there are in this state
   * @param cursor where a search goes on; null when it is over
   * @param looked how many a search has looked at
   * @param at when it was looked up
   */
  record Tasks(
      Query.Tasks wish,
      List<TaskInfo> tasks,
      List<String> unreadable,
      long total,
      @Nullable String cursor,
      long looked,
      Instant at)
      implements QueryResult {
    public Tasks {
      tasks = List.copyOf(tasks);
      unreadable = List.copyOf(unreadable);
    }

    /** Which of these are on the page. */
    public Set<String> among(Set<String> ids) {
      return ids.isEmpty()
          ? ids
          : Stream.concat(tasks.stream().map(TaskInfo::id), unreadable.stream())
              .filter(ids::contains)
              .collect(Collectors.toSet());
    }
  }

  /** Groups by name, with their sizes. */
  record Groups(Query.Groups wish, List<Group> groups) implements QueryResult {
    public Groups {
      groups = List.copyOf(groups);
    }
  }

  record Group(String name, long size) {}

  /**
   * A task.
   *
   * @param why it does not run, in words
   */
  record Task(Query.Task wish, TaskInfo task, String why) implements QueryResult {}

  /** How many attempts of a queue ended on each day, today first. */
  record History(Query.History wish, List<DayCount> days) implements QueryResult {
    public History {
      days = List.copyOf(days);
    }
  }

  record Servers(List<ServerSnapshot> servers) implements QueryResult {
    public Servers {
      servers = List.copyOf(servers);
    }
  }

  record Schedules(List<ScheduleSnapshot> schedules) implements QueryResult {
    public Schedules {
      schedules = List.copyOf(schedules);
    }
  }

  /** What an entry has enqueued, and what it is; null when it is gone. */
  record Events(Query.Events wish, @Nullable ScheduleSnapshot schedule, List<ScheduleEvent> events)
      implements QueryResult {
    public Events {
      events = List.copyOf(events);
    }
  }

  record Redis(Map<String, String> info) implements QueryResult {}

  /** Redis answered, and there is nothing to be shown: the task is gone, or it is not allowed. */
  record Nothing(Query wish, String why) implements QueryResult {}
}
