package io.asynq4j.service.gearman.session;

import io.asynq4j.inspect.Inspector;
import io.asynq4j.service.executor.ServerThreadPools;
import io.asynq4j.service.gearman.GearmanConfig;
import io.asynq4j.service.gearman.job.AssignedJobRegistry;
import io.asynq4j.service.gearman.job.FunctionRegistry;
import io.asynq4j.service.gearman.job.GatewayBus;
import io.asynq4j.service.gearman.job.JobClaimer;
import io.asynq4j.service.gearman.job.JobSubmitter;
import io.asynq4j.service.gearman.job.ResultNotifier;
import io.asynq4j.service.gearman.protocol.EventLoop;
import java.time.Clock;
import java.time.Duration;

/**
 * The components of a gateway that sessions use.
 *
 * @param lookups runs lookups in Redis
 */
public record GatewayComponents(
    GearmanConfig config,
    EventLoop loop,
    FunctionRegistry functions,
    JobSubmitter submitter,
    JobClaimer claimer,
    AssignedJobRegistry jobs,
    ResultNotifier results,
    GatewayBus bus,
    Inspector inspector,
    ServerThreadPools lookups,
    Clock clock) {

  Duration firstPacketWithin() {
    return config.firstPacketWithin();
  }
}
