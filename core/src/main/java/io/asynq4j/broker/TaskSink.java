package io.asynq4j.broker;

import java.util.List;

/** Takes new tasks in. Thread-safe. */
public interface TaskSink {

  /**
   * One answer for each task, in the order of the tasks. Tasks of any queue and kind may be mixed.
   */
  List<EnqueueAnswer> enqueue(List<NewTask> tasks);
}
