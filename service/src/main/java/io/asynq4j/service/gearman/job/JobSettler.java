package io.asynq4j.service.gearman.job;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.lease.LeaseOutcome;
import io.asynq4j.lease.LeasedTask;
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
 * Settles jobs in Redis. Finished work is not thrown away: a settlement is repeated until Redis
 * answers, and while there is no memory for it. A job that Redis refuses for its data is archived.
 * Thread-safe.
 */
final class JobSettler {

  private static final Logger log = LoggerFactory.getLogger(JobSettler.class);

  /** How often Redis refuses a single job for its data before it is archived, or given up. */
  private static final int MOST_REFUSALS = 5;

  private static final long PAUSE_MILLIS = 200;

  /**
   * A job that is to be settled.
   *
   * @param then called on the loop with the outcome that was applied; empty when the lease is lost
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
  private volatile long giveUpAt;
  private volatile boolean closing;

  /**
   * @param forget told of each task whose lease need not be kept any longer
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

  /** From now on, what Redis does not answer is repeated for this long only. */
  void close(Duration longest) {
    giveUpAt = System.nanoTime() + longest.toNanos();
    closing = true;
  }

  /**
   * Settles jobs of one queue. Returns when Redis has answered for all of them, or when they are
   * given up. No error ends it before that: nothing else knows of these jobs.
   */
  void settle(QueueName queue, List<FinishedJob> batch) {
    List<Optional<Outcome>> applied = null;
    boolean failing = false;
    while (applied == null) {
      try {
        List<LeaseOutcome> outcomes = batch.stream().map(FinishedJob::outcome).toList();
        tell(outcomes);
        applied = functions.leases().settle(outcomes);
      } catch (RuntimeException | Error e) {
        if (!isOutage(e)) {
          // One that can never be settled must not keep the others.
          for (int i = 0; i < batch.size(); i++) {
            settleAlone(queue, batch.get(i));
          }
          return;
        }
        if (!repeats(queue, batch.size(), e, failing)) {
          return;
        }
        failing = true;
      }
    }
    // First, and whatever comes next: else their leases would be extended for ever.
    for (int i = 0; i < batch.size(); i++) {
      forget(batch.get(i).task());
    }
    settled(queue, batch, applied, failing);
  }

  /** Settles one with its outcome or, if Redis refuses that, by archiving it. */
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
          tell(outcomes);
        }
        applied = functions.leases().settle(outcomes).get(0);
        answered = true;
      } catch (RuntimeException | Error e) {
        boolean isRefused = isForItsData(e);
        refusals += isRefused ? 1 : 0;
        if (isOutage(e)
            || e instanceof OutOfMemoryError
            || (isRefused && refusals < MOST_REFUSALS)) {
          if (!repeats(queue, 1, e, failing)) {
            return;
          }
          failing = true;
        } else if (isRefused && outcome.outcome().kind() != Outcome.Kind.ARCHIVE) {
          outcome = archive(outcome, e);
          refusals = 0;
          failing = false;
        } else {
          givenUp(job.task(), e);
          answered = true;
          failing = false;
        }
      }
    }
    forget(job.task());
    settled(queue, job, applied, failing);
  }

  private void tell(List<LeaseOutcome> outcomes) {
    try {
      attempts.end(outcomes);
    } catch (BrokerException e) {
      throw e;
    } catch (RuntimeException e) {
      log.error("what has to be done after {} jobs was not done", outcomes.size(), e);
    }
  }

  /** Whether it has nothing to do with what is to be settled. */
  private static boolean isOutage(Throwable e) {
    return e instanceof BrokerException && !isForItsData(e);
  }

  /** Whether Redis refuses it, and would not for its own memory, disk or permissions. */
  private static boolean isForItsData(Throwable e) {
    return e instanceof BrokerRefusedException refused
        && refused.reason() == BrokerRefusedException.Reason.REQUEST;
  }

  /** Waits before the next try. False when there is none, since the gateway closes. */
  private boolean repeats(QueueName queue, int count, Throwable e, boolean failing) {
    if (!failing) {
      warn(queue, count, e);
    }
    boolean goesOn = (!closing || giveUpAt - System.nanoTime() > 0) && pause();
    if (!goesOn) {
      log.warn(
          "{} jobs of queue {} were not settled; they run again when their leases end",
          count,
          queue);
    }
    return goesOn;
  }

  private static void warn(QueueName queue, int count, Throwable e) {
    try {
      if (e instanceof BrokerException) {
        log.warn("{} jobs of queue {} cannot be settled yet: {}", count, queue, e.getMessage());
      } else {
        log.error("{} jobs of queue {} cannot be settled yet", count, queue, e);
      }
    } catch (RuntimeException | Error other) {
      SafeLog.error(log, "jobs cannot be settled yet", e);
    }
  }

  /** What to settle instead; the same once more if there is no memory for it. */
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
      SafeLog.error(log, "a job that cannot be settled is not archived yet", e);
      return refused;
    }
  }

  private static void givenUp(LeasedTask task, Throwable e) {
    try {
      log.error(
          "task {} of queue {} cannot be settled; it runs again when its lease ends",
          task.id(),
          task.queue(),
          e);
    } catch (RuntimeException | Error other) {
      SafeLog.error(log, "a job cannot be settled; it runs again when its lease ends", e);
    }
  }

  private void forget(LeasedTask task) {
    boolean done = false;
    while (!done) {
      try {
        forget.accept(task);
        done = true;
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, "a job cannot be taken off the list; that is tried again", e);
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
      untold(e);
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
      List<Runnable> told = new ArrayList<>(batch.size());
      for (int i = 0; i < batch.size(); i++) {
        FinishedJob job = batch.get(i);
        Optional<Outcome> outcome = applied.get(i);
        if (outcome.isEmpty()) {
          log.info(
              "task {} of queue {} was not settled now: its lease is lost, or an earlier try has settled it",
              job.task().id(),
              queue);
        }
        told.add(() -> job.then().accept(outcome));
      }
      loop.execute(() -> told.forEach(Runnable::run));
    } catch (RuntimeException | Error e) {
      untold(e);
    }
  }

  private static void untold(Throwable e) {
    SafeLog.error(log, "clients are not told of jobs that ended until they are looked at", e);
  }
}
