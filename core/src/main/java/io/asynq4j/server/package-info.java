/**
 * Processing tasks.
 *
 * <p>Start with {@link io.asynq4j.server.TaskServer}, and {@code TaskServer.start(redis, handlers)}
 * for one with default settings. {@link io.asynq4j.server.ServerListener} observes attempts; {@link
 * io.asynq4j.server.GroupAggregator} combines tasks of a group.
 */
@NullMarked
package io.asynq4j.server;

import org.jspecify.annotations.NullMarked;
