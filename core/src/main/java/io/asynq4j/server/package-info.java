/**
 * Servers, which claim tasks and run their handlers.
 *
 * <p>Start with {@link io.asynq4j.server.TaskServer}. {@code TaskServer.start(redis, handlers)}
 * starts a server with default settings. A {@link io.asynq4j.server.ServerListener} is notified of
 * attempts; a {@link io.asynq4j.server.GroupAggregator} combines the tasks of a group.
 */
@NullMarked
package io.asynq4j.server;

import org.jspecify.annotations.NullMarked;
