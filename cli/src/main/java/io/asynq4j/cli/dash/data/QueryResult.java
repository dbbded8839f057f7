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

/** Result of a {@link Query}. Immutable. */
public sealed interface QueryResult {

  /** All queues by name, with the data loaded so far. */
  record Overview(List<QueueRow> rows, QueueTotals totals) implements QueryResult {
    public Overview {
      rows = List.copyOf(rows);
    }
  }

  /**
   * One page of tasks.
   *
   * @param total number of tasks in this state
   * @param cursor where a search continues; null if it is complete
   * @param looked number of tasks that a search has examined
   * @param at time of the query
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

    /** The given IDs that are on this page. */
    public Set<String> among(Set<String> ids) {
      return ids.isEmpty()
          ? ids
          : Stream.concat(tasks.stream().map(TaskInfo::id), unreadable.stream())
              .filter(ids::contains)
              .collect(Collectors.toSet());
    }
  }

  /** Group sizes by name. */
  record Groups(Query.Groups wish, List<Group> groups) implements QueryResult {
    public Groups {
      groups = List.copyOf(groups);
    }
  }

  record Group(String name, long size) {}

  /**
   * One task.
   *
   * @param why explanation why the task does not run
   */
  record Task(Query.Task wish, TaskInfo task, String why) implements QueryResult {}

  /** Attempts of a queue per day, today first. */
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

  /** A schedule entry and the tasks it has enqueued; the entry is null if it is gone. */
  record Events(Query.Events wish, @Nullable ScheduleSnapshot schedule, List<ScheduleEvent> events)
      implements QueryResult {
    public Events {
      events = List.copyOf(events);
    }
  }

  record Redis(Map<String, String> info) implements QueryResult {}

  /** Redis answered, but there is no data: the task is gone or access is denied. */
  record Nothing(Query wish, String why) implements QueryResult {}
}
