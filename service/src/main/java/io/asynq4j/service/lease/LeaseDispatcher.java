package io.asynq4j.service.lease;

import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.lease.TaskLeases.LeaseBatch;
import io.asynq4j.service.lease.WaitingPolls.Poll;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims tasks for workers of other processes that wait for them (long polls). One thread and one
 * watch serve all of them. A worker is answered with tasks that were claimed for it. A Redis server
 * of a cluster that does not respond delays only workers that wait for nothing but its queues.
 * Thread-safe.
 */
public final class LeaseDispatcher implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(LeaseDispatcher.class);

  private static final String NOT_CLAIMED = SafeLog.text("tasks of queue {} cannot be claimed: {}");
  private static final String NOT_DISPATCHED =
      SafeLog.text("tasks for waiting workers cannot be claimed; trying again");

  /**
   * Default interval at which queues are polled for tasks without a notification. It is the maximum
   * delay of a task when Redis, its user or a proxy does not deliver notifications.
   */
  public static final Duration RECHECK_INTERVAL = Duration.ofSeconds(1);

  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(200);

  /**
   * Maximum time that a poll without a wait time waits for a Redis server that does not respond.
   */
  private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(2);

  private final Executor answers;
  private final long recheckNanos;
  private final QueueAvailability availability;
  private final QueueClaimer claimer;
  private final Thread thread;

  // All guarded by this.

  private final WaitingPolls waiting;

  /** Whether queues may have tasks that the thread has not tried to claim. */
  private boolean changed;

  private boolean closed;

  private long lastRecheck = System.nanoTime();

  /**
   * @param answers runs the sending of answers, which slow workers may delay
   * @param recheckInterval interval at which queues are polled without a notification
   */
  public LeaseDispatcher(
      Supplier<TaskLeases> leases, Clock clock, Executor answers, Duration recheckInterval) {
    this.recheckNanos = recheckInterval.toNanos();
    this.answers = answers;
    this.waiting = new WaitingPolls(answers);
    this.availability =
        new QueueAvailability(
            clock,
            new QueueAvailability.Listener() {
              @Override
              public void changed(Set<String> queues) {
                wakeThread();
              }

              @Override
              public void allChanged() {
                wakeThread();
              }
            });
    this.claimer = new QueueClaimer(leases, availability);
    this.thread = new Thread(this::run, "asynq-lease-dispatcher");
    thread.setDaemon(true);
    thread.start();
  }

  private synchronized void wakeThread() {
    changed = true;
    notifyAll();
  }

  /** Number of requests that wait. */
  public synchronized int waiting() {
    return waiting.size();
  }

  /**
   * Claims tasks of these queues.
   *
   * @param wait maximum time to wait for a task
   * @return no tasks when there are none in time
   */
  public CompletionStage<List<LeasedTask>> lease(
      List<String> queues, int max, Duration lease, Duration wait) {
    List<String> order = new ArrayList<>(queues);
    // No queue is always the last.
    Collections.shuffle(order);
    Set<String> unanswered = new HashSet<>();
    List<LeasedTask> tasks = claimNow(order, max, lease, wait.isZero(), unanswered);
    if (!tasks.isEmpty() || (wait.isZero() && unanswered.isEmpty())) {
      return CompletableFuture.completedFuture(tasks);
    }
    Poll poll =
        wait.isZero()
            ? Poll.forReplies(unanswered, max, lease, REPLY_TIMEOUT)
            : Poll.forTasks(order, max, lease, wait);
    synchronized (this) {
      if (closed) {
        return CompletableFuture.completedFuture(List.of());
      }
      waiting.add(poll);
      wakeThread();
    }
    if (wait.isZero()) {
      // It needs a reply, whatever is known of the queue.
      availability.changed(unanswered);
    }
    return poll.answer();
  }

  /**
   * @param reportsFailures whether the worker does not wait: then the failure of one queue is
   *     reported, else only the failure of all
   * @param unanswered receives the queues whose Redis server does not respond
   */
  private List<LeasedTask> claimNow(
      List<String> queues,
      int max,
      Duration lease,
      boolean reportsFailures,
      Set<String> unanswered) {
    List<LeasedTask> tasks = new ArrayList<>();
    Throwable failure = null;
    int failures = 0;
    for (String queue : claimer.worthClaiming(queues)) {
      if (tasks.size() < max) {
        try {
          LeaseBatch batch = claimer.claim(queue, max - tasks.size(), lease);
          if (batch == null) {
            unanswered.add(queue);
          } else {
            tasks.addAll(batch.tasks());
          }
        } catch (RuntimeException | Error e) {
          // Tasks of other queues are leased and must reach the worker.
          SafeLog.warn(log, NOT_CLAIMED, queue, e);
          failure = e;
          failures++;
        }
      }
    }
    if (tasks.isEmpty() && failure != null && (reportsFailures || failures == queues.size())) {
      if (failure instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) failure;
    }
    return tasks;
  }

  private void run() {
    while (true) {
      try {
        List<String> queues = awaitQueues();
        if (queues == null) {
          return;
        }
        claimer.claimFor(new PollingWorkers(), queues);
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException | Error e) {
        // Including a lack of memory or of threads: no other thread serves the workers.
        report(e);
        availability.allChanged();
        if (!pause()) {
          return;
        }
      }
    }
  }

  /** Without the stack trace of an outage, which is reported repeatedly. */
  private static void report(Throwable e) {
    if (e instanceof RuntimeException) {
      log.warn("tasks for waiting workers cannot be claimed: {}", e.getMessage());
    } else {
      SafeLog.error(log, NOT_DISPATCHED, e);
    }
  }

  private static boolean pause() {
    try {
      Thread.sleep(PAUSE_AFTER_FAILURE.toMillis());
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  /** Waits until queues may have tasks for a worker, and returns them; null when closed. */
  private @Nullable List<String> awaitQueues() throws InterruptedException {
    Set<String> wanted;
    boolean isRecheck;
    synchronized (this) {
      while (true) {
        if (closed) {
          return null;
        }
        long now = System.nanoTime();
        waiting.endExpired(now);
        isRecheck = now - lastRecheck >= recheckNanos;
        if (!waiting.isEmpty() && (changed || isRecheck)) {
          break;
        }
        wait(Math.max(1, waiting.nanosUntilExpiry(now, recheckNanos) / 1_000_000));
      }
      changed = false;
      wanted = waiting.queues();
    }
    if (isRecheck) {
      lastRecheck = System.nanoTime();
      recheck(wanted);
    }
    return wanted.stream().filter(availability::mayHaveTasks).toList();
  }

  private void recheck(Set<String> queues) {
    List<String> accessible =
        queues.stream().filter(queue -> !availability.isInaccessible(queue)).toList();
    if (!accessible.isEmpty()) {
      claimer.withTasks(accessible).forEach(availability::suspect);
    }
  }

  private final class PollingWorkers implements QueueClaimer.Workers {
    @Override
    public boolean want(String queue) {
      synchronized (LeaseDispatcher.this) {
        return waiting.want(queue);
      }
    }

    @Override
    public boolean needReply(String queue) {
      synchronized (LeaseDispatcher.this) {
        return waiting.needReply(queue);
      }
    }

    /** A queue that fails is tried again after a pause and delays no other. */
    @Override
    public boolean exhaust(String queue) {
      try {
        return serve(queue);
      } catch (RuntimeException e) {
        log.warn("tasks of queue {} cannot be claimed: {}", queue, e.getMessage());
        availability.unavailableFor(queue, PAUSE_AFTER_FAILURE);
        return false;
      }
    }
  }

  /** Claims for the polls of a queue until there is none, or until the queue has no tasks. */
  private boolean serve(String queue) {
    while (true) {
      Poll poll = takeFirst(queue);
      if (poll == null) {
        return false;
      }
      @Nullable LeaseBatch batch;
      try {
        batch = claimer.claim(queue, poll.max(), poll.lease());
      } catch (RuntimeException | Error e) {
        putBack(poll);
        throw e;
      }
      if (batch != null && !batch.tasks().isEmpty()) {
        answer(poll, queue, batch.tasks());
        continue;
      }
      putBack(poll);
      if (batch != null) {
        answeredWithoutTasks(queue);
      }
      return batch != null;
    }
  }

  /** Without a thread for the answer, the worker continues to wait and the tasks are requeued. */
  private void answer(Poll poll, String queue, List<LeasedTask> tasks) {
    try {
      poll.answer().completeAsync(() -> tasks, answers);
    } catch (RuntimeException | Error e) {
      putBack(poll);
      claimer.requeue(queue, tasks);
      throw e;
    }
  }

  private synchronized @Nullable Poll takeFirst(String queue) {
    return waiting.removeFirst(queue);
  }

  private synchronized void putBack(Poll poll) {
    if (closed) {
      waiting.endWithoutTasks(poll);
    } else {
      waiting.addFirst(poll);
    }
  }

  private synchronized void answeredWithoutTasks(String queue) {
    waiting.answeredWithoutTasks(queue);
  }

  /** Answers all workers that wait; they can ask another replica. */
  @Override
  public void close() {
    List<Poll> left;
    synchronized (this) {
      closed = true;
      left = waiting.removeAll();
      notifyAll();
    }
    left.forEach(waiting::endWithoutTasks);
    try {
      thread.join(Duration.ofSeconds(5).toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    claimer.close();
  }
}
