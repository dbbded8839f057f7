package io.asynq4j.internal.server.attempt;

import io.asynq4j.Payload;
import io.asynq4j.Progress;
import io.asynq4j.Task;
import io.asynq4j.handler.Handler;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.server.ServerListener;
import java.time.Clock;
import java.time.Duration;

/** What an attempt needs of its server. */
public interface AttemptHost {

  Duration STUCK_REMINDER = Duration.ofMinutes(1);

  ServerConfig config();

  Handler<Task> handler();

  ServerListener events();

  OutcomePolicy endings();

  FailureLog failures();

  LeaseOperations source();

  Clock clock();

  void settle(Attempt attempt, AttemptOutcome ended);

  /** The handler has returned, so nobody need look after it any more. */
  void forget(Attempt attempt);

  /** Returns at once; it is written soon, or a later one in its place. */
  void progress(Attempt attempt, Progress progress);

  /** False when the lease is lost. */
  boolean writeResult(Attempt attempt, Payload result);
}
