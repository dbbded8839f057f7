/** Comparison with what asynq writes to Redis. */
@NullMarked
package io.asynq4j.internal.redis.golden;

import org.jspecify.annotations.NullMarked;
