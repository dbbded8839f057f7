/**
 * Transport of tasks from many callers to Redis: dispatching, coalescing, batching, and limits of
 * pending tasks.
 */
@NullMarked
package io.asynq4j.internal.client;

import org.jspecify.annotations.NullMarked;
