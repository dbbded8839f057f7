package io.asynq4j.lease;

import io.asynq4j.Payload;

/**
 * A task that succeeded, by what proves the lease on it. Immutable.
 *
 * @param result kept with the task for its retention; an absent one leaves what was written before
 */
public record LeaseResult(LeaseProof proof, Payload result) {}
