/**
 * The gearman gateway: gearman's clients and workers on asynq4j's queues. docs/guides/gearman.md
 * describes the mapping of terms.
 *
 * <p>Start with {@link io.asynq4j.service.gearman.GearmanGateway}, which listens by a {@link
 * io.asynq4j.service.gearman.GearmanConfig}.
 *
 * <p>One thread, the {@code EventLoop}, reads and writes all connections and owns their state.
 * Calls to Redis run on other threads, which pass their results to the event loop.
 */
@NullMarked
package io.asynq4j.service.gearman;

import org.jspecify.annotations.NullMarked;
