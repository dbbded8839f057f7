package io.asynq4j.service;

import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.schedule.ScheduleEntry;
import org.jspecify.annotations.Nullable;

/**
 * A task of the file: what everybody may know, and what only the service does. Immutable.
 *
 * @param http what it calls, if its kind is http
 * @param cmd what it runs, if its kind is cmd
 * @param schedule when it is enqueued by itself
 */
record ConfiguredTask(
    TaskDefinition definition,
    @Nullable HttpSpec http,
    @Nullable CmdSpec cmd,
    @Nullable ScheduleEntry schedule) {}
