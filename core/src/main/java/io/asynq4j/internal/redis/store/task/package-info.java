/** Enqueues, claims, settles, groups and recovers tasks in Redis. */
@NullMarked
package io.asynq4j.internal.redis.store.task;

import org.jspecify.annotations.NullMarked;
