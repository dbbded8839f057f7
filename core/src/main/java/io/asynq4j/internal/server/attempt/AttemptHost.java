package io.asynq4j.internal.server.attempt;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.handler.Handler;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.server.config.ServerConfig;
import java.time.Clock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The parts of a server that its attempts share.
 *
 * @param settler settles an attempt; if it throws, nothing has changed
 * @param returned called when a handler has returned, so that it is not monitored any more
 */
public record AttemptHost(
    ServerConfig config,
    Handler<Task> handler,
    OutcomePolicy policy,
    FailureLog failures,
    LeaseOperations source,
    Clock clock,
    BiConsumer<Attempt, AppliedOutcome> settler,
    Consumer<Attempt> returned,
    Reports reports) {

  /** Receives what handlers report while they run. Thread-safe. */
  public interface Reports {

    /** Returns at once; this progress, or a later one, is written soon. */
    void progress(Attempt attempt, Progress progress);

    /** Returns false if the lease is lost. */
    boolean writeResult(Attempt attempt, Payload result);
  }
}
