/** Presence of servers and schedulers in Redis, and messages between processes. */
@NullMarked
package io.asynq4j.internal.redis.store.presence;

import org.jspecify.annotations.NullMarked;
