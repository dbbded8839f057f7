package io.asynq4j.service.gearman;

import io.asynq4j.lease.LeasedTask;
import java.time.Instant;

/** A task that a worker of this gateway has. Thread-safe. */
final class Job {

  private final LeasedTask task;
  private final JobKey key;
  private final String handle;
  private final WorkerSide worker;
  private final Instant deadline;

  // Both guarded by this: the loop sets them, and another thread writes them to Redis.
  private Status status = Status.NONE;
  private boolean statusUnwritten;

  /**
   * @param deadline when its worker must be done
   */
  Job(LeasedTask task, WorkerSide worker, Instant deadline) {
    this.task = task;
    this.key = new JobKey(task.queue().value(), task.id());
    this.handle = key.handle();
    this.worker = worker;
    this.deadline = deadline;
  }

  LeasedTask task() {
    return task;
  }

  JobKey key() {
    return key;
  }

  String handle() {
    return handle;
  }

  WorkerSide worker() {
    return worker;
  }

  Instant deadline() {
    return deadline;
  }

  synchronized Status status() {
    return status;
  }

  /** True when it has to be written; until that is done, later ones go along with it. */
  synchronized boolean setStatus(Status newStatus) {
    status = newStatus;
    boolean first = !statusUnwritten;
    statusUnwritten = true;
    return first;
  }

  synchronized Status statusToWrite() {
    statusUnwritten = false;
    return status;
  }
}
