package io.asynq4j.internal.broker;

import io.asynq4j.internal.broker.rules.DurabilityRequirement;
import java.util.List;

/** Enqueues new tasks. Thread-safe. */
public interface EnqueueOperations {

  /**
   * Enqueues tasks of any queue and kind. Returns one reply per task, in order. Throws at the first
   * failed call, regardless of the results before.
   */
  List<EnqueueReply> enqueue(List<NewTask> tasks);

  /** Enqueues tasks and returns a reply for each even if calls fail. */
  List<EnqueueReply> enqueueEach(List<NewTask> tasks, DurabilityRequirement confirmation);

  /**
   * Returns operations for calls that carry tasks of several callers: interrupting the calling
   * thread neither ends nor shortens such a call. The interrupt stays pending.
   */
  EnqueueOperations uninterrupted();

  /** Returns the key of the lock that a task takes; empty if it takes none. */
  String lock(NewTask task);
}
