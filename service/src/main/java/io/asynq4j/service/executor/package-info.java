/** Threads for calls to Redis, bounded for each server of a cluster. */
@NullMarked
package io.asynq4j.service.executor;

import org.jspecify.annotations.NullMarked;
