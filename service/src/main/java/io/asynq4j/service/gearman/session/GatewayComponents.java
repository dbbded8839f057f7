package io.asynq4j.service.gearman.session;

import io.asynq4j.inspect.Inspector;
import io.asynq4j.service.gearman.AssignedJobRegistry;
import io.asynq4j.service.gearman.EventLoop;
import io.asynq4j.service.gearman.FunctionRegistry;
import io.asynq4j.service.gearman.GatewayBus;
import io.asynq4j.service.gearman.GearmanConfig;
import io.asynq4j.service.gearman.JobClaimer;
import io.asynq4j.service.gearman.JobSubmitter;
import io.asynq4j.service.gearman.ResultNotifier;
import io.asynq4j.service.gearman.ServerThreadPools;
import java.time.Clock;
import java.time.Duration;

/**
 * What a session works with.
 *
 * @param lookups run what asks Redis and is not urgent
 */
public record GatewayComponents(
    GearmanConfig config,
    EventLoop loop,
    FunctionRegistry functions,
    JobSubmitter submitter,
    JobClaimer claimer,
    AssignedJobRegistry jobs,
    ResultNotifier results,
    GatewayBus talk,
    Inspector inspector,
    ServerThreadPools lookups,
    Clock clock) {

  public Duration firstPacketWithin() {
    return config.firstPacketWithin();
  }
}
