package io.asynq4j.server;

import java.time.Instant;
import java.util.Optional;

/**
 * How a server is at one moment, for probes. Failed tasks are no sign of ill health.
 *
 * @param state where it is in its life
 * @param lastHeartbeat when Redis last accepted a heartbeat, by the clock of Redis; empty before
 *     the first one
 * @param lastError what last went wrong between the server and Redis, or in the server itself; it
 *     stays when that is over
 * @param isHealthy whether the server runs and has had a heartbeat within the time of a lease, so
 *     that its tasks are still its own
 */
public record ServerHealth(
    ServerState state,
    Optional<Instant> lastHeartbeat,
    Optional<Failure> lastError,
    boolean isHealthy) {

  /**
   * Something that went wrong.
   *
   * @param at when, by the clock of Redis as far as it is known
   */
  public record Failure(Instant at, Throwable error) {}
}
