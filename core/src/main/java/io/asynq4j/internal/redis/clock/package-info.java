/** The time of Redis, and steps of its clock. */
@NullMarked
package io.asynq4j.internal.redis.clock;

import org.jspecify.annotations.NullMarked;
