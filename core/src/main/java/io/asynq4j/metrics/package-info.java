/**
 * Micrometer meters; needs {@code micrometer-core} on the class path.
 *
 * <p>Start with {@link io.asynq4j.metrics.ServerMetrics} for the attempts of a server in this
 * process, and {@link io.asynq4j.metrics.QueueMetrics} for the sizes of queues in Redis.
 */
@NullMarked
package io.asynq4j.metrics;

import org.jspecify.annotations.NullMarked;
