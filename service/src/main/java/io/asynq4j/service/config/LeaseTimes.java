package io.asynq4j.service.config;

import java.time.Duration;

/**
 * Durations of leases. Immutable.
 *
 * @param usual duration if the worker requests none
 * @param longest maximum duration
 */
public record LeaseTimes(Duration usual, Duration longest) {}
