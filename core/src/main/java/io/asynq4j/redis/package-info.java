/** The adapter: how to reach Redis, and the broker that keeps tasks there in asynq's protocol. */
@NullMarked
package io.asynq4j.redis;

import org.jspecify.annotations.NullMarked;
