/** Reads queues and tasks in Redis, applies operator actions, and examines and repairs data. */
@NullMarked
package io.asynq4j.internal.redis.store.inspect;

import org.jspecify.annotations.NullMarked;
