package io.asynq4j.service.gearman;

import io.asynq4j.inspect.Inspector;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * What a session works with.
 *
 * @param lookups runs what asks Redis and is not urgent
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
    Executor lookups,
    Clock clock) {

  Duration firstPacketWithin() {
    return config.firstPacketWithin();
  }
}
