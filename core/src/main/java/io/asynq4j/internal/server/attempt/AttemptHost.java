package io.asynq4j.internal.server.attempt;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.handler.Handler;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.server.ServerListener;
import java.time.Clock;

/** The parts of a server that its attempts share. */
public record AttemptHost(
    ServerConfig config,
    Handler<Task> handler,
    ServerListener events,
    OutcomePolicy policy,
    FailureLog failures,
    LeaseOperations source,
    Clock clock,
    Sink sink) {

  /** Receives outcomes and reports of attempts. Thread-safe. */
  public interface Sink {

    /** Settles the attempt. If this throws, nothing has changed. */
    void settle(Attempt attempt, AppliedOutcome applied);

    /** Records that the handler has returned, so that it is not monitored any more. */
    void returned(Attempt attempt);

    /** Returns at once; this progress, or a later one, is written soon. */
    void progress(Attempt attempt, Progress progress);

    /** Returns false if the lease is lost. */
    boolean writeResult(Attempt attempt, Payload result);
  }
}
