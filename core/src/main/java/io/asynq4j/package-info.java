/**
 * The words of the API: what a task is, what can be asked of it, and what can go wrong.
 *
 * <p>Start with {@link io.asynq4j.TaskType}, which declares a kind of task once for producers and
 * handlers, and {@link io.asynq4j.TaskOptions}, which lists everything that can be set for a task.
 * {@link io.asynq4j.TaskInfo} is what is known of a task. {@link io.asynq4j.AsynqException} is the
 * root of all exceptions.
 */
@NullMarked
package io.asynq4j;

import org.jspecify.annotations.NullMarked;
