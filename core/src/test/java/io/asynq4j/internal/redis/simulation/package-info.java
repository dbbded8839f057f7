/** Random runs against a model of the broker. */
@NullMarked
package io.asynq4j.internal.redis.simulation;

import org.jspecify.annotations.NullMarked;
