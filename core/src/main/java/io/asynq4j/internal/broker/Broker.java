package io.asynq4j.internal.broker;

import io.asynq4j.internal.broker.pubsub.CancellationChannel;
import io.asynq4j.internal.broker.pubsub.PubSub;
import io.asynq4j.internal.time.ElapsedBounds;
import java.time.Clock;
import java.time.Instant;

/** Everything that is done to tasks in the store. */
public interface Broker {

  EnqueueOperations enqueueing();

  LeaseOperations leases();

  Upkeep upkeep();

  Aggregation aggregation();

  Presence presence();

  CancellationChannel cancellations();

  PubSub pubSub();

  SemaphoreOperations semaphores();

  Inspection inspection();

  StoreWatch watches();

  Diagnostics diagnostics();

  ScheduleStore schedules();

  DefinitionStore definitions();

  /** The store's time. */
  Clock clock();

  /** How long ago the store's clock has shown this time. */
  ElapsedBounds elapsedSince(Instant moment);

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
