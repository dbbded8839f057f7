package io.asynq4j.schedule;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.internal.codec.TextValidator;
import java.util.Objects;

/** The values of a {@link ScheduleEntry}. */
record ScheduleEntryRecord(
    String name, Schedule schedule, Task task, TaskOptions options, MissedPolicy missed)
    implements ScheduleEntry {

  ScheduleEntryRecord {
    require(!name.isBlank(), "a schedule entry needs a name, got a blank one");
    TextValidator.requireValidUnicode(name, "the name of a schedule entry");
    Objects.requireNonNull(schedule, "schedule");
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(missed, "missed");
  }
}
