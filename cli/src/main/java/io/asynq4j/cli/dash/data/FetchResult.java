package io.asynq4j.cli.dash.data;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What one round of looking brought. Immutable.
 *
 * @param answer to the wish; null when the overview was all that was wished for
 * @param at when it was complete
 * @param ping how long Redis takes to answer
 */
public record FetchResult(
    QueryResult.Overview overview, @Nullable QueryResult answer, Instant at, Duration ping) {}
