/** Limits of pending tasks, for all ways to enqueue. */
@NullMarked
package io.asynq4j.service.limit;

import org.jspecify.annotations.NullMarked;
