package io.asynq4j.dashboard.internal.view;

import io.asynq4j.QueueName;
import io.asynq4j.TaskOptions;
import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.HiddenField;
import io.asynq4j.http.JsonFields;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** JSON of schedule entries. */
public final class ScheduleView {

  private static final int NEXT_RUNS = 10;

  private ScheduleView() {}

  /** Returns null if the entry cannot be read. */
  private static @Nullable String queueOf(ScheduleSnapshot schedule) {
    QueueName queue = schedule.options().queue();
    if (queue == null) {
      return schedule.problem() == null ? QueueName.DEFAULT.value() : null;
    }
    return queue.value();
  }

  /** An entry with an unknown queue is visible only to users that may see all queues. */
  public static boolean isVisible(ScheduleSnapshot schedule, Grant grant) {
    String queue = queueOf(schedule);
    return queue == null ? grant.seesAll() : grant.sees(queue);
  }

  public static JsonFields fields(
      ScheduleSnapshot schedule, PayloadRenderer contents, Instant now, int most) {
    return new JsonFields()
        .put("id", schedule.id())
        .put("spec", schedule.spec())
        .put("description", CronDescription.of(schedule.spec()))
        .put("taskType", schedule.taskType())
        .put("queue", queueOf(schedule))
        .put("payload", contents.payload(schedule.taskType(), schedule.taskPayload(), most).map())
        .put("options", options(schedule.options(), contents).map())
        .put("unreadOptions", schedule.unreadOptions())
        .put("next", schedule.next())
        .put("nextRuns", nextRuns(schedule, now))
        .put("previous", schedule.previous())
        .put("pausedSince", schedule.pausedSince())
        .put("live", schedule.isLive())
        .put("controllable", schedule.isRemembered())
        .put("problem", schedule.problem());
  }

  private static JsonFields options(TaskOptions options, PayloadRenderer contents) {
    return new JsonFields()
        .put("id", options.id())
        .put("maxRetry", options.maxRetry())
        .put("timeout", text(options.timeout()))
        .put("deadline", options.deadline())
        .put("uniqueFor", text(options.uniqueFor()))
        .put("processAt", options.processAt())
        .put("processIn", text(options.processIn()))
        .put("retention", text(options.retention()))
        .put("group", options.group())
        .put(
            "headers",
            contents.isHidden(HiddenField.HEADERS) ? null : new TreeMap<>(options.headers()));
  }

  private static @Nullable String text(@Nullable Duration duration) {
    return duration == null ? null : duration.toString();
  }

  /**
   * Computes the next times from the spec if it is known; the time that the scheduler reports comes
   * first.
   */
  private static List<Instant> nextRuns(ScheduleSnapshot schedule, Instant now) {
    try {
      Instant next = schedule.next();
      List<Instant> runs = new ArrayList<>();
      Instant from = now;
      if (next != null && next.isAfter(now)) {
        runs.add(next);
        from = next;
      }
      runs.addAll(Schedule.of(schedule.spec()).next(from, NEXT_RUNS - runs.size()));
      return runs;
    } catch (IllegalArgumentException e) {
      return List.of();
    }
  }
}
