package io.asynq4j.service.gearman;

import io.asynq4j.inspect.Inspector;
import java.time.Clock;
import java.time.Duration;

/**
 * What a session works with.
 *
 * @param lookups run what asks Redis and is not urgent
 */
record GatewayComponents(
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

  Duration firstPacketWithin() {
    return config.firstPacketWithin();
  }
}
