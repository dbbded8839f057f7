package io.asynq4j.internal.server.attempt;

import io.asynq4j.Payload;
import io.asynq4j.Progress;
import io.asynq4j.Task;
import io.asynq4j.handler.Handler;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.server.ServerListener;
import java.time.Clock;

/** What all attempts of a server share. */
public record AttemptHost(
    ServerConfig config,
    Handler<Task> handler,
    ServerListener events,
    OutcomePolicy policy,
    FailureLog failures,
    LeaseOperations source,
    Clock clock,
    Sink sink) {

  /** Where attempts send what comes of them. */
  public interface Sink {

    /** When this throws, nothing has happened. */
    void settle(Attempt attempt, AppliedOutcome applied);

    /** The handler has returned, so it need not be watched any more. */
    void returned(Attempt attempt);

    /** Returns at once; the progress is written soon, or a later one in its place. */
    void progress(Attempt attempt, Progress progress);

    /** False when the lease is lost. */
    boolean writeResult(Attempt attempt, Payload result);
  }
}
