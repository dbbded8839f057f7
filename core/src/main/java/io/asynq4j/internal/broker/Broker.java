package io.asynq4j.internal.broker;

import io.asynq4j.internal.broker.inspect.Diagnostics;
import io.asynq4j.internal.broker.inspect.KeyspaceScan;
import io.asynq4j.internal.broker.inspect.OperatorActions;
import io.asynq4j.internal.broker.inspect.QueueControl;
import io.asynq4j.internal.broker.inspect.QueueInspection;
import io.asynq4j.internal.broker.inspect.QueueRemoval;
import io.asynq4j.internal.broker.inspect.TaskEdits;
import io.asynq4j.internal.broker.inspect.TaskInspection;
import io.asynq4j.internal.broker.pubsub.CancellationChannel;
import io.asynq4j.internal.broker.pubsub.PubSub;
import io.asynq4j.internal.time.ElapsedBounds;
import java.time.Clock;
import java.time.Instant;

/** All operations on tasks in the store. */
public interface Broker {

  EnqueueOperations enqueueing();

  LeaseOperations leases();

  Upkeep upkeep();

  Aggregation aggregation();

  Presence presence();

  CancellationChannel cancellations();

  PubSub pubSub();

  SemaphoreOperations semaphores();

  QueueInspection queues();

  QueueControl queueControl();

  QueueRemoval queueRemoval();

  TaskInspection tasks();

  TaskEdits taskEdits();

  OperatorActions actions();

  StoreWatch watches();

  Diagnostics diagnostics();

  KeyspaceScan keyspace();

  ScheduleStore schedules();

  DefinitionStore definitions();

  /** The store's time. */
  Clock clock();

  /** Returns how long ago the store's clock showed this time. */
  ElapsedBounds elapsedSince(Instant moment);

  /**
   * Registers an action that runs once before the connection is closed, while it still works.
   * Closing the registration cancels the action.
   *
   * @throws IllegalStateException if the connection is being closed
   */
  Registration beforeClose(Runnable action);

  /** A registration that can be cancelled. */
  interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
