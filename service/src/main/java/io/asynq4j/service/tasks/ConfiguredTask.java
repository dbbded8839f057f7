package io.asynq4j.service.tasks;

import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.schedule.ScheduleEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task of the configuration file: its public definition, and what only the service knows.
 * Immutable.
 *
 * @param http the request to send, if its kind is http
 * @param cmd the program to run, if its kind is cmd
 * @param schedule when the task is enqueued automatically; null = never
 * @param callbacks tasks that call the callback URLs of this task
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
