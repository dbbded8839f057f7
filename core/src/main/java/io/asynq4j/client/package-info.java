/**
 * Clients, which enqueue tasks.
 *
 * <p>Start with {@link io.asynq4j.client.TaskClient}. Code that only produces tasks should depend
 * on {@link io.asynq4j.client.Enqueuer}, which is easy to replace in tests. An {@link
 * io.asynq4j.client.EnqueueResult} reports whether a task is enqueued.
 */
@NullMarked
package io.asynq4j.client;

import org.jspecify.annotations.NullMarked;
