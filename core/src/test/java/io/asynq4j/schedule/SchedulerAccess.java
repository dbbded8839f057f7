package io.asynq4j.schedule;

import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.schedule.SchedulerRounds;
import java.time.Instant;

/** Creates a scheduler on the broker of a test, which runs its rounds. */
public final class SchedulerAccess {

  private SchedulerAccess() {}

  public static Scheduler.Builder broker(Broker broker) {
    return new Scheduler.Builder(broker, () -> {});
  }

  /** Runs a round. Returns the time of the next one. */
  public static Instant round(Scheduler scheduler) {
    return SchedulerRounds.round(scheduler.threads);
  }

  public static void askSource(Scheduler scheduler) {
    try {
      SchedulerRounds.readSource(scheduler.threads);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Closes it. */
  public static void end(Scheduler scheduler) {
    SchedulerRounds.end(scheduler.threads);
  }
}
