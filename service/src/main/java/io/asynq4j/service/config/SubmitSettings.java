package io.asynq4j.service.config;

import io.asynq4j.Durability;
import java.time.Duration;

/**
 * How submitted tasks are enqueued. Immutable.
 *
 * @param idempotency how long an Idempotency-Key is remembered
 */
public record SubmitSettings(Duration idempotency, Durability durability) {}
