package io.asynq4j.broker;

import java.time.Clock;

/** Everything that is done to tasks in the store. */
public interface Broker {

  TaskSink sink();

  TaskSource source();

  Upkeep upkeep();

  Aggregation aggregation();

  Presence presence();

  Cancellations cancellations();

  Channels channels();

  Semaphores semaphores();

  Inspection inspection();

  Lookout lookout();

  Diagnostics diagnostics();

  Schedules schedules();

  Definitions definitions();

  /** The store's time. */
  Clock clock();
}
