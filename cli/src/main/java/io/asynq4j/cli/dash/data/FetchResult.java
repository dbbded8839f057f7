package io.asynq4j.cli.dash.data;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Result of one refresh. Immutable.
 *
 * @param answer result of the query; null if only the overview was requested
 * @param at time of completion
 * @param ping response time of Redis
 */
public record FetchResult(
    QueryResult.Overview overview, @Nullable QueryResult answer, Instant at, Duration ping) {}
