package io.asynq4j.internal.server;

import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Mux;
import io.asynq4j.internal.server.attempt.FailureLog;
import io.asynq4j.internal.server.config.ServedQueues;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.config.ServerDefinitions;
import io.asynq4j.internal.server.duty.Aggregator;
import io.asynq4j.internal.server.duty.DutyContext;
import io.asynq4j.internal.server.duty.DutyScheduler;
import io.asynq4j.internal.server.duty.HealthCheck;
import io.asynq4j.internal.server.duty.Janitor;
import io.asynq4j.internal.server.duty.Recoverer;
import io.asynq4j.internal.server.duty.Repairer;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;

/** The duties of a server. */
final class ServerDuties {

  /** Polls of queues per search for new queues. */
  private static final int FIND_QUEUES_EACH = 5;

  private static final Duration LONGEST_SWEEP_INTERVAL = Duration.ofSeconds(30);
  private static final Duration FAILURE_LOG_INTERVAL = Duration.ofSeconds(1);

  private ServerDuties() {}

  static void addTo(
      DutyScheduler duties,
      ServerActors.Parts parts,
      DutyContext context,
      FailureLog failures,
      ExecutorService aggregatorThreads) {
    ServerConfig config = parts.config();
    ServedQueues queues = parts.queues();
    duties.add(config.recoverInterval(), "recoverer", new Recoverer(context)::run);
    duties.every(config.janitorInterval(), "janitor", new Janitor(context));
    duties.every(config.repairInterval(), "repairer", new Repairer(context));
    // Schedulers whose processes have crashed: no other scheduler may exist to unregister them.
    duties.every(
        TimeMath.min(config.heartbeat().multipliedBy(4), LONGEST_SWEEP_INTERVAL),
        "presence sweeper",
        parts.broker().presence()::forgetGoneSchedulers);
    duties.every(
        FAILURE_LOG_INTERVAL, "failure log", () -> failures.reportUnlogged(/* all= */ false));
    if (!config.patterns().isEmpty()) {
      duties.every(
          config.pollInterval().multipliedBy(FIND_QUEUES_EACH),
          "queue finder",
          () -> queues.found(parts.broker().queues().names()));
    }
    ServerDefinitions defined = config.defined();
    if (defined != null) {
      duties.every(ServerDefinitions.INTERVAL, "definitions", () -> defined.follow(queues));
    }
    if (config.groups() != null) {
      Aggregator aggregator =
          new Aggregator(config.groups(), context, typeOptions(parts.handler()), aggregatorThreads);
      duties.every(aggregator.interval(), "aggregator", aggregator);
    }
    if (config.healthCheck() != null) {
      duties.every(
          config.healthInterval(),
          "health check",
          new HealthCheck(parts.redis()::ping, config.healthCheck()));
    }
  }

  private static Function<String, TaskOptions> typeOptions(Handler<Task> handler) {
    return handler instanceof Mux mux ? mux::options : type -> TaskOptions.defaults();
  }
}
