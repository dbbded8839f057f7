/** Notifications of changes in Redis. */
@NullMarked
package io.asynq4j.internal.redis.watch;

import org.jspecify.annotations.NullMarked;
