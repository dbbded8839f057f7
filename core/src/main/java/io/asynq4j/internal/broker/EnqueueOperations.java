package io.asynq4j.internal.broker;

import io.asynq4j.internal.broker.rules.DurabilityRequirement;
import java.util.List;

/** Takes new tasks in. Thread-safe. */
public interface EnqueueOperations {

  /**
   * One answer for each task, in the order of the tasks. Tasks of any queue and kind may be mixed.
   * Throws at the first call that fails, whatever became of the tasks before.
   */
  List<EnqueueReply> enqueue(List<NewTask> tasks);

  /**
   * The same with an answer for each task also when calls fail: those of the others are known then.
   */
  List<EnqueueReply> enqueueEach(List<NewTask> tasks, DurabilityRequirement confirmation);

  /**
   * The same for calls that carry tasks of several callers: to interrupt the thread that makes such
   * a call neither ends nor shortens it. The interrupt stays pending.
   */
  EnqueueOperations uninterrupted();

  /** The key of the lock that a task takes; empty when it takes none. */
  String lock(NewTask task);
}
