package io.asynq4j.cli.dash;

import io.asynq4j.TaskInfo;
import io.asynq4j.inspect.DayCount;
import io.asynq4j.inspect.ScheduleEvent;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.inspect.ServerSnapshot;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What was found for a {@link Wish}. Immutable. */
sealed interface Answer {

  /** All queues by name, and what is known of them. */
  record Overview(List<QueueRow> rows, Totals totals) implements Answer {
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
      Wish.Tasks wish,
      List<TaskInfo> tasks,
      List<String> unreadable,
      long total,
      @Nullable String cursor,
      long looked,
      Instant at)
      implements Answer {
    public Tasks {
      tasks = List.copyOf(tasks);
      unreadable = List.copyOf(unreadable);
    }

    /** Which of these are on the page. */
    Set<String> among(Set<String> ids) {
      return ids.isEmpty()
          ? ids
          : Stream.concat(tasks.stream().map(TaskInfo::id), unreadable.stream())
              .filter(ids::contains)
              .collect(Collectors.toSet());
    }
  }

  /** Groups by name, with their sizes. */
  record Groups(Wish.Groups wish, List<Group> groups) implements Answer {
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
  record Task(Wish.Task wish, TaskInfo task, String why) implements Answer {}

  /** How many attempts of a queue ended on each day, today first. */
  record History(Wish.History wish, List<DayCount> days) implements Answer {
    public History {
      days = List.copyOf(days);
    }
  }

  record Servers(List<ServerSnapshot> servers) implements Answer {
    public Servers {
      servers = List.copyOf(servers);
    }
  }

  record Schedules(List<ScheduleSnapshot> schedules) implements Answer {
    public Schedules {
      schedules = List.copyOf(schedules);
    }
  }

  /** What an entry has enqueued, and what it is; null when it is gone. */
  record Events(Wish.Events wish, @Nullable ScheduleSnapshot schedule, List<ScheduleEvent> events)
      implements Answer {
    public Events {
      events = List.copyOf(events);
    }
  }

  record Redis(Map<String, String> info) implements Answer {}

  /** Redis answered, and there is nothing to be shown: the task is gone, or it is not allowed. */
  record Nothing(Wish wish, String why) implements Answer {}
}
