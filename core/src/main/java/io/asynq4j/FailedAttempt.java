package io.asynq4j;

import java.time.Instant;

/**
 * An attempt at a task that failed. Immutable.
 *
 * @param at when it ended, to the millisecond
 * @param error its error, shortened
 * @param trace where it failed: the beginning of the stack trace; empty when none was kept
 */
public record FailedAttempt(Instant at, String error, String trace) {}
