package io.asynq4j.broker;

import java.time.Clock;
import java.time.Instant;

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

  /** How long ago the store's clock has shown this time. */
  Elapsed elapsedSince(Instant moment);

  /**
   * Has something done, once, when the connection is closed: before that, while it still works.
   * Until the registration is closed.
   *
   * @throws IllegalStateException once the closing of the connection has begun
   */
  Registration beforeClose(Runnable action);

  /** What can be taken back. */
  interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
