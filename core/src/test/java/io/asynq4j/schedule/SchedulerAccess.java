package io.asynq4j.schedule;

import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.schedule.SchedulerRounds;
import java.time.Instant;

/** A scheduler on a broker that a test has made, whose rounds the test does itself. */
public final class SchedulerAccess {

  private SchedulerAccess() {}

  public static Scheduler.Builder broker(Broker broker) {
    return Scheduler.builder(broker);
  }

  /** Does what is to be done now. Returns when there is something to do next. */
  public static Instant round(Scheduler scheduler) {
    return SchedulerRounds.round(scheduler.threads());
  }

  public static void askSource(Scheduler scheduler) {
    try {
      SchedulerRounds.readSource(scheduler.threads());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** As at the end of its life. */
  public static void end(Scheduler scheduler) {
    SchedulerRounds.end(scheduler.threads());
  }
}
