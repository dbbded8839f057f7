package io.asynq4j.server;

import java.time.Instant;
import java.util.Optional;

/**
 * The health of a server at one moment, for probes. Failed tasks do not affect it. Immutable.
 *
 * @param state the state of the server
 * @param lastHeartbeat when Redis last accepted a heartbeat, by the clock of Redis; empty before
 *     the first one
 * @param lastError the last failure of a call to Redis or in the server itself; it stays when the
 *     problem is over
 * @param isHealthy whether the server runs and its last heartbeat is not older than a lease, so
 *     that it still owns its tasks
 */
public record ServerHealth(
    ServerState state,
    Optional<Instant> lastHeartbeat,
    Optional<Failure> lastError,
    boolean isHealthy) {

  /**
   * A failure.
   *
   * @param at when it occurred, by the clock of Redis
   */
  public record Failure(Instant at, Throwable error) {}
}
