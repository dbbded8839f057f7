/**
 * Metrics for Micrometer. They require {@code micrometer-core}, an optional dependency.
 *
 * <p>Start with {@link io.asynq4j.metrics.ServerMetrics} for the attempts of servers in this
 * process, and {@link io.asynq4j.metrics.QueueMetrics} for the queues in Redis.
 */
@NullMarked
package io.asynq4j.metrics;

import org.jspecify.annotations.NullMarked;
