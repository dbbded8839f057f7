package io.asynq4j.service.tasks;

import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.schedule.ScheduleEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task of the file: what everybody may know, and what only the service does. Immutable.
 *
 * @param http what it calls, if its kind is http
 * @param cmd what it runs, if its kind is cmd
 * @param schedule when it is enqueued by itself
 * @param callbacks tasks that call the URLs which are told of this one
 */
public record ConfiguredTask(
    TaskDefinition definition,
    @Nullable HttpSpec http,
    @Nullable CmdSpec cmd,
    @Nullable ScheduleEntry schedule,
    List<ConfiguredTask> callbacks) {
  public ConfiguredTask {
    callbacks = List.copyOf(callbacks);
  }
}
