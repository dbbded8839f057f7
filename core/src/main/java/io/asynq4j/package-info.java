/**
 * Tasks, their types, options and states, and the exceptions that several parts throw.
 *
 * <p>Start with {@link io.asynq4j.TaskType}, which declares a task type once for producers and
 * handlers, and {@link io.asynq4j.TaskOptions}, the options of a task. {@link io.asynq4j.TaskInfo}
 * is a snapshot of a task. {@link io.asynq4j.AsynqException} is the base of all exceptions.
 */
@NullMarked
package io.asynq4j;

import org.jspecify.annotations.NullMarked;
