package io.asynq4j.service.gearman;

import io.asynq4j.lease.LeasedTask;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A task that a worker of this gateway has. Thread-safe. */
final class Job {

  private final LeasedTask task;
  private final JobKey key;
  private final String handle;
  private final WorkerSide worker;
  private final Instant deadline;

  /** Names of other gateways whose clients wait for it. */
  private final Set<String> listeners = ConcurrentHashMap.newKeySet();

  private long generation;

  // Both guarded by this: the loop sets them, and another thread writes them to Redis.
  private Status status = Status.NONE;
  private boolean statusUnwritten;

  /**
   * @param deadline when its worker must be done
   * @param here the name of this gateway
   */
  Job(LeasedTask task, WorkerSide worker, Instant deadline, String here) {
    this.task = task;
    listeners.addAll(Waiters.gateways(task.task().headers()));
    listeners.remove(here);
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

  /** What tells it from the next with the same key; only for the loop. */
  long generation() {
    return generation;
  }

  void setGeneration(long newGeneration) {
    generation = newGeneration;
  }

  /** Names of other gateways whose clients wait for it. */
  Set<String> listeners() {
    return listeners;
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
