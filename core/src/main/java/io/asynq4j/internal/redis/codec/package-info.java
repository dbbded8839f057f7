/** Binary formats in Redis: protobuf messages and the fields of task records. */
@NullMarked
package io.asynq4j.internal.redis.codec;

import org.jspecify.annotations.NullMarked;
