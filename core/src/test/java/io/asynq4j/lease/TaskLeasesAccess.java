package io.asynq4j.lease;

import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.internal.broker.Broker;

/** Creates leases on the broker of a test, with a settable clock. */
public final class TaskLeasesAccess {

  private TaskLeasesAccess() {}

  public static TaskLeasesBuilder broker(Broker broker) {
    return new TaskLeasesBuilder(broker, PayloadCodec.json());
  }
}
