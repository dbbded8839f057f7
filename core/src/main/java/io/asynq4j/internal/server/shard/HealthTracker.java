package io.asynq4j.internal.server.shard;

import io.asynq4j.server.ServerHealth;
import io.asynq4j.server.ServerState;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Records the last heartbeat and the last error of a server. Thread-safe. */
public final class HealthTracker {

  private record Beat(Instant at, long nanos) {}

  private final Clock clock;
  private volatile @Nullable Beat lastBeat;
  private volatile ServerHealth.@Nullable Failure lastError;

  public HealthTracker(Clock clock) {
    this.clock = clock;
  }

  /** Records that Redis has accepted a heartbeat. */
  public void beat() {
    lastBeat = new Beat(clock.instant(), System.nanoTime());
  }

  void failed(Throwable error) {
    lastError = new ServerHealth.Failure(clock.instant(), error);
  }

  public ServerHealth health(ServerState state, Duration lease) {
    Beat beat = lastBeat;
    boolean runs = state == ServerState.ACTIVE || state == ServerState.QUIET;
    return new ServerHealth(
        state,
        Optional.ofNullable(beat).map(Beat::at),
        Optional.ofNullable(lastError),
        runs && beat != null && System.nanoTime() - beat.nanos() < lease.toNanos());
  }
}
