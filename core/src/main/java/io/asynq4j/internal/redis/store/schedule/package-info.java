/** Schedule entries and their progress in Redis. */
@NullMarked
package io.asynq4j.internal.redis.store.schedule;

import org.jspecify.annotations.NullMarked;
