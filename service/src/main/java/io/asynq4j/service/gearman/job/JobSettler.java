package io.asynq4j.service.gearman.job;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.LeasedTask.LeaseOutcome;
import io.asynq4j.service.gearman.AttemptListener;
import io.asynq4j.service.gearman.protocol.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles jobs in Redis. No result is lost: a settlement is repeated until Redis answers, and while
 * there is no memory for it. A job that Redis refuses for its data is archived. Thread-safe.
 */
final class JobSettler {

  private static final Logger log = LoggerFactory.getLogger(JobSettler.class);

  private static final String NOT_SETTLED = SafeLog.text("jobs cannot be settled yet");
  private static final String NOT_ARCHIVED =
      SafeLog.text("a job that cannot be settled is not archived yet");
  private static final String GIVEN_UP =
      SafeLog.text("a job cannot be settled; it runs again when its lease ends");
  private static final String NOT_UNREGISTERED =
      SafeLog.text("a settled job cannot be removed from the registry; trying again");
  private static final String NOT_NOTIFIED =
      SafeLog.text("clients are not notified of jobs that ended until the jobs are polled");

  /** Number of refusals for a job's data after which it is archived, or abandoned. */
  private static final int MAX_REFUSALS = 5;

  private static final long PAUSE_MILLIS = 200;

  /**
   * A job to settle.
   *
   * @param then called on the event loop with the outcome that was applied; empty when the lease is
   *     lost
   */
  record FinishedJob(LeaseOutcome outcome, Consumer<Optional<Outcome>> then) {
    LeasedTask task() {
      return outcome.task();
    }
  }

  private final FunctionRegistry functions;
  private final EventLoop loop;
  private final AttemptListener attempts;
  private final Consumer<LeasedTask> forget;
  private volatile long deadline;
  private volatile boolean closing;

  /**
   * @param forget called with each task whose lease need not be extended any longer
   */
  JobSettler(
      FunctionRegistry functions,
      EventLoop loop,
      AttemptListener attempts,
      Consumer<LeasedTask> forget) {
    this.functions = functions;
    this.loop = loop;
    this.attempts = attempts;
    this.forget = forget;
  }

  /** Limits the time for which settlements are repeated from now on. */
  void close(Duration timeout) {
    deadline = System.nanoTime() + timeout.toNanos();
    closing = true;
  }

  /**
   * Settles jobs of one queue. Returns when Redis has answered for all of them, or when they are
   * abandoned. No error ends it before that: nothing else has these jobs.
   */
  void settle(QueueName queue, List<FinishedJob> batch) {
    List<Optional<Outcome>> applied = null;
    boolean failing = false;
    while (applied == null) {
      try {
        List<LeaseOutcome> outcomes = batch.stream().map(FinishedJob::outcome).toList();
        notifyListener(outcomes);
        applied = functions.leases().settle(outcomes);
      } catch (RuntimeException | Error e) {
        if (!isOutage(e)) {
          // A job that can never be settled must not delay the others.
          for (int i = 0; i < batch.size(); i++) {
            settleAlone(queue, batch.get(i));
          }
          return;
        }
        if (!awaitRetry(queue, batch.size(), e, failing)) {
          return;
        }
        failing = true;
      }
    }
    // First, whatever fails next: otherwise their leases would be extended for ever.
    for (int i = 0; i < batch.size(); i++) {
      forget(batch.get(i).task());
    }
    settled(queue, batch, applied, failing);
  }

  /** Settles one job with its outcome or, if Redis refuses that, archives it. */
  private void settleAlone(QueueName queue, FinishedJob job) {
    LeaseOutcome outcome = job.outcome();
    Optional<Outcome> applied = Optional.empty();
    boolean failing = false;
    boolean answered = false;
    int refusals = 0;
    while (!answered) {
      try {
        List<LeaseOutcome> outcomes = List.of(outcome);
        if (outcome.equals(job.outcome())) {
          notifyListener(outcomes);
        }
        applied = functions.leases().settle(outcomes).get(0);
        answered = true;
      } catch (RuntimeException | Error e) {
        boolean isRefused = isRefusedForData(e);
        refusals += isRefused ? 1 : 0;
        if (isOutage(e)
            || e instanceof OutOfMemoryError
            || (isRefused && refusals < MAX_REFUSALS)) {
          if (!awaitRetry(queue, 1, e, failing)) {
            return;
          }
          failing = true;
        } else if (isRefused && outcome.outcome().kind() != Outcome.Kind.ARCHIVE) {
          outcome = archive(outcome, e);
          refusals = 0;
          failing = false;
        } else {
          logAbandoned(job.task(), e);
          answered = true;
          failing = false;
        }
      }
    }
    forget(job.task());
    settled(queue, job, applied, failing);
  }

  private void notifyListener(List<LeaseOutcome> outcomes) {
    try {
      attempts.end(outcomes);
    } catch (BrokerException e) {
      throw e;
    } catch (RuntimeException e) {
      log.error("the follow-ups of {} jobs were not enqueued", outcomes.size(), e);
    }
  }

  /** Whether the failure is unrelated to the jobs. */
  private static boolean isOutage(Throwable e) {
    return e instanceof BrokerException && !isRefusedForData(e);
  }

  /** Whether Redis refuses the data of the job, not for its own memory, disk or permissions. */
  private static boolean isRefusedForData(Throwable e) {
    return e instanceof BrokerRefusedException refused
        && refused.reason() == BrokerRefusedException.Reason.REQUEST;
  }

  /** Waits before the next try. Returns false when the gateway closes and does not try again. */
  private boolean awaitRetry(QueueName queue, int count, Throwable e, boolean failing) {
    if (!failing) {
      warn(queue, count, e);
    }
    boolean isRetried = (!closing || deadline - System.nanoTime() > 0) && pause();
    if (!isRetried) {
      log.warn(
          "{} jobs of queue {} were not settled; they run again when their leases end",
          count,
          queue);
    }
    return isRetried;
  }

  private static void warn(QueueName queue, int count, Throwable e) {
    try {
      if (e instanceof BrokerException) {
        log.warn("{} jobs of queue {} cannot be settled yet: {}", count, queue, e.getMessage());
      } else {
        log.error("{} jobs of queue {} cannot be settled yet", count, queue, e);
      }
    } catch (RuntimeException | Error other) {
      SafeLog.error(log, NOT_SETTLED, e);
    }
  }

  /** The outcome to settle instead; the same again if there is no memory for it. */
  private static LeaseOutcome archive(LeaseOutcome refused, Throwable refusal) {
    try {
      LeasedTask task = refused.task();
      Outcome.Kind kind = refused.outcome().kind();
      log.error(
          "task {} of queue {} cannot be settled as {}, and is archived",
          task.id(),
          task.queue(),
          kind,
          refusal);
      return new LeaseOutcome(
          task, Outcome.archive("could not be settled as " + kind + ": " + refusal));
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, NOT_ARCHIVED, e);
      return refused;
    }
  }

  private static void logAbandoned(LeasedTask task, Throwable e) {
    try {
      log.error(
          "task {} of queue {} cannot be settled; it runs again when its lease ends",
          task.id(),
          task.queue(),
          e);
    } catch (RuntimeException | Error other) {
      SafeLog.error(log, GIVEN_UP, e);
    }
  }

  private void forget(LeasedTask task) {
    boolean done = false;
    while (!done) {
      try {
        forget.accept(task);
        done = true;
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, NOT_UNREGISTERED, e);
        done = !pause();
      }
    }
  }

  private static boolean pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  private void settled(
      QueueName queue, FinishedJob job, Optional<Outcome> applied, boolean wasFailing) {
    try {
      settled(queue, List.of(job), List.of(applied), wasFailing);
    } catch (Error e) {
      logNotNotified(e);
    }
  }

  private void settled(
      QueueName queue,
      List<FinishedJob> batch,
      List<Optional<Outcome>> applied,
      boolean wasFailing) {
    try {
      if (wasFailing) {
        log.info("jobs of queue {} can be settled again", queue);
      }
      List<Runnable> notifications = new ArrayList<>(batch.size());
      for (int i = 0; i < batch.size(); i++) {
        FinishedJob job = batch.get(i);
        Optional<Outcome> outcome = applied.get(i);
        if (outcome.isEmpty()) {
          log.info(
              "task {} of queue {} was not settled now: its lease is lost, or an earlier attempt"
                  + " has settled it",
              job.task().id(),
              queue);
        }
        notifications.add(() -> job.then().accept(outcome));
      }
      loop.execute(() -> notifications.forEach(Runnable::run));
    } catch (RuntimeException | Error e) {
      logNotNotified(e);
    }
  }

  private static void logNotNotified(Throwable e) {
    SafeLog.error(log, NOT_NOTIFIED, e);
  }
}
