/**
 * Application code that processes tasks.
 *
 * <p>Start with {@link io.asynq4j.handler.Mux}, which routes tasks to handlers by type. A {@link
 * io.asynq4j.handler.Handler} returns an {@link io.asynq4j.handler.Outcome}; an {@link
 * io.asynq4j.handler.Action} succeeds when it returns. {@link io.asynq4j.handler.TaskContext} is
 * the running attempt. A {@link io.asynq4j.handler.Middleware} wraps all handlers.
 */
@NullMarked
package io.asynq4j.handler;

import org.jspecify.annotations.NullMarked;
