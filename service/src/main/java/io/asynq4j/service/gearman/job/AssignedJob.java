package io.asynq4j.service.gearman.job;

import io.asynq4j.lease.LeasedTask;
import io.asynq4j.service.gearman.protocol.JobStatus;
import io.asynq4j.service.gearman.session.WorkerSession;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A task that a worker of this gateway has. Thread-safe. */
public final class AssignedJob {

  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final LeasedTask task;
  private final JobKey key;
  private final String handle;
  private final WorkerSession worker;
  private final long deadlineNanos;

  /** Names of other gateways whose clients wait for it. */
  private final Set<String> listeners = ConcurrentHashMap.newKeySet();

  private long generation;

  // Both guarded by this: the loop sets them, and another thread writes them to Redis.
  private JobStatus status = JobStatus.NONE;
  private boolean statusUnwritten;

  /**
   * @param timeLeft how long its worker may take
   * @param here the name of this gateway
   */
  public AssignedJob(LeasedTask task, WorkerSession worker, Duration timeLeft, String here) {
    this.task = task;
    listeners.addAll(WaitingGatewaysHeader.gateways(task.task().headers()));
    listeners.remove(here);
    this.key = new JobKey(task.queue().value(), task.id());
    this.handle = key.handle();
    this.worker = worker;
    // By the steady timer: a step of the clock is not the worker's fault, and must not cost a
    // retry.
    this.deadlineNanos =
        System.nanoTime() + (timeLeft.compareTo(LONGEST) > 0 ? LONGEST : timeLeft).toNanos();
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

  WorkerSession worker() {
    return worker;
  }

  boolean isOverdue() {
    return System.nanoTime() - deadlineNanos > 0;
  }

  /** What tells it from the next with the same key; only for the loop. */
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

  /** True when it has to be written; until that is done, later ones go along with it. */
  public synchronized boolean setStatus(JobStatus newStatus) {
    status = newStatus;
    boolean first = !statusUnwritten;
    statusUnwritten = true;
    return first;
  }

  /** One has been written; false when there is a later one by now. */
  public synchronized boolean isWritten(JobStatus written) {
    statusUnwritten = !status.equals(written);
    return !statusUnwritten;
  }
}
