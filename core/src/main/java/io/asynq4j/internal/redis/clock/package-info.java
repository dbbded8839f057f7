/** Redis time and detection of clock steps. */
@NullMarked
package io.asynq4j.internal.redis.clock;

import org.jspecify.annotations.NullMarked;
