/**
 * Handlers of tasks.
 *
 * <p>Start with {@link io.asynq4j.handler.Mux}, which routes tasks to handlers by type. A {@link
 * io.asynq4j.handler.Handler} returns an {@link io.asynq4j.handler.Outcome}; {@link
 * io.asynq4j.handler.TaskContext} describes the running attempt.
 */
@NullMarked
package io.asynq4j.handler;

import org.jspecify.annotations.NullMarked;
