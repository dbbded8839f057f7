package io.asynq4j.service.gearman.job;

import io.asynq4j.lease.LeasedTask;
import io.asynq4j.service.gearman.protocol.JobStatus;
import io.asynq4j.service.gearman.session.WorkerJobs;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A task that a worker of this gateway executes. Thread-safe. */
public final class AssignedJob {

  private static final Duration MAX_TIME = Duration.ofDays(36_500);

  private final LeasedTask task;
  private final JobKey key;
  private final String handle;
  private final WorkerJobs worker;
  private final long deadlineNanos;

  /** Names of other gateways whose clients wait for it. */
  private final Set<String> listeners = ConcurrentHashMap.newKeySet();

  private long generation;

  // Both guarded by this: the event loop sets them, and another thread writes them to Redis.
  private JobStatus status = JobStatus.NONE;
  private boolean statusUnwritten;

  /**
   * @param worker the jobs of the worker that has it
   * @param timeLeft maximum time for the worker
   * @param gateway name of this gateway
   */
  public AssignedJob(LeasedTask task, WorkerJobs worker, Duration timeLeft, String gateway) {
    this.task = task;
    listeners.addAll(WaitingGatewaysHeader.gateways(task.task().headers()));
    listeners.remove(gateway);
    this.key = new JobKey(task.queue().value(), task.id());
    this.handle = key.handle();
    this.worker = worker;
    // Monotonic time: an adjustment of the clock must not cost a retry.
    this.deadlineNanos =
        System.nanoTime() + (timeLeft.compareTo(MAX_TIME) > 0 ? MAX_TIME : timeLeft).toNanos();
  }

  public LeasedTask task() {
    return task;
  }

  public JobKey key() {
    return key;
  }

  public String handle() {
    return handle;
  }

  WorkerJobs worker() {
    return worker;
  }

  boolean isOverdue() {
    return System.nanoTime() - deadlineNanos > 0;
  }

  /** Distinguishes it from the next job with the same key. Only for the event loop. */
  public long generation() {
    return generation;
  }

  public void setGeneration(long newGeneration) {
    generation = newGeneration;
  }

  /** Names of other gateways whose clients wait for it. */
  public Set<String> listeners() {
    return listeners;
  }

  public synchronized JobStatus status() {
    return status;
  }

  /** Returns whether the caller must write it; a later status is written with it. */
  public synchronized boolean setStatus(JobStatus newStatus) {
    status = newStatus;
    boolean first = !statusUnwritten;
    statusUnwritten = true;
    return first;
  }

  /** Records that a status was written; returns false when there is a later one. */
  public synchronized boolean isWritten(JobStatus written) {
    statusUnwritten = !status.equals(written);
    return !statusUnwritten;
  }
}
