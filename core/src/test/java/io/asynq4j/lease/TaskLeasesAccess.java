package io.asynq4j.lease;

import io.asynq4j.internal.broker.Broker;

/** Leases on a broker that a test has made, with a time that it sets. */
public final class TaskLeasesAccess {

  private TaskLeasesAccess() {}

  public static TaskLeases.Builder broker(Broker broker) {
    return TaskLeases.builder(broker);
  }
}
