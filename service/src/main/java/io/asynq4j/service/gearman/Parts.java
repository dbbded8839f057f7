package io.asynq4j.service.gearman;

import io.asynq4j.inspect.Inspector;
import java.time.Clock;
import java.time.Duration;

/**
 * What a session works with.
 *
 * @param lookups run what asks Redis and is not urgent
 */
record Parts(
    GearmanConfig config,
    EventLoop loop,
    Functions functions,
    Submitter submitter,
    Claimer claimer,
    Jobs jobs,
    Results results,
    Talk talk,
    Inspector inspector,
    ServerThreads lookups,
    Clock clock) {

  Duration firstPacketWithin() {
    return config.firstPacketWithin();
  }
}
