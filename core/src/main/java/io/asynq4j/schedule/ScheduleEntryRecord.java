package io.asynq4j.schedule;

import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The values of a {@link ScheduleEntry}. */
record ScheduleEntryRecord(
    String name, Schedule schedule, Task task, TaskOptions options, MissedPolicy missed)
    implements ScheduleEntry {

  ScheduleEntryRecord {
    if (name.isBlank()) {
      throw new IllegalArgumentException("a schedule entry needs a name, got \"" + name + "\"");
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
      throw new IllegalArgumentException("the name of a schedule entry is not valid Unicode text");
    }
    Objects.requireNonNull(schedule, "schedule");
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(missed, "missed");
  }
}
