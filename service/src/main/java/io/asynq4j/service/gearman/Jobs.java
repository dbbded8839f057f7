package io.asynq4j.service.gearman;

import io.asynq4j.BrokerException;
import io.asynq4j.lease.LeaseEnd;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.lease.Verdict;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs that workers of this gateway have: keeps their leases as long as their connections live,
 * and settles them. Finished work is not thrown away: a settlement is repeated until Redis answers.
 * Thread-safe.
 */
final class Jobs {

  private static final Logger log = LoggerFactory.getLogger(Jobs.class);

  private static final int MOST_SETTLED_AT_ONCE = 500;
  private static final int MOST_EXTENDED_AT_ONCE = 500;
  private static final int MOST_REMEMBERED = 10_000;
  private static final long PAUSE_AFTER_FAILURE_MILLIS = 200;

  private record Ending(Verdict verdict, Consumer<LeaseEnd> then) {
    LeasedTask task() {
      return verdict.task();
    }
  }

  private final Functions functions;
  private final EventLoop loop;
  private final Clock clock;
  private final Duration lease;
  private final int jobRetries;
  private final AttemptListener attempts;
  private final Map<LeasedTask, Job> held = new ConcurrentHashMap<>();
  private final Map<String, Job> byHandle = new ConcurrentHashMap<>();
  private final Desk<Ending> endings;
  private volatile long giveUpAt;
  private volatile boolean closing;
  private boolean failing;

  /** How often in a row the workers of a job were lost; only on the loop. */
  private final Map<JobKey, Integer> losses =
      new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<JobKey, Integer> eldest) {
          return size() > MOST_REMEMBERED;
        }
      };

  Jobs(
      Functions functions,
      EventLoop loop,
      Clock clock,
      GearmanConfig config,
      AttemptListener attempts) {
    this.attempts = attempts;
    this.functions = functions;
    this.loop = loop;
    this.clock = clock;
    this.lease = config.lease();
    this.jobRetries = config.jobRetries();
    this.endings = new Desk<>("settle", MOST_SETTLED_AT_ONCE, this::settle);
  }

  /** From now on its lease is kept. */
  void take(Job job) {
    held.put(job.task(), job);
    byHandle.put(job.handle(), job);
  }

  Optional<Job> find(String handle) {
    return Optional.ofNullable(byHandle.get(handle));
  }

  int size() {
    return held.size();
  }

  /**
   * Ends a job.
   *
   * @param then told on the loop what became of it
   */
  void end(Job job, Verdict verdict, Consumer<LeaseEnd> then) {
    byHandle.remove(job.handle(), job);
    losses.remove(job.key());
    add(new Ending(verdict, then));
  }

  private void add(Ending ending) {
    if (!endings.add(ending)) {
      held.remove(ending.task());
      log.warn(
          "task {} ended while the gateway was closing; it runs again when its lease ends",
          ending.task().id());
    }
  }

  /**
   * Its worker is gone: another one gets it, as often as may be.
   *
   * @param then told on the loop what became of it
   */
  void workerLost(Job job, Consumer<LeaseEnd> then) {
    byHandle.remove(job.handle(), job);
    int lost = losses.merge(job.key(), 1, Integer::sum);
    if (jobRetries > 0 && lost > jobRetries) {
      losses.remove(job.key());
      log.warn(
          "task {} of queue {} is archived: it has lost its worker {} times in a row",
          job.task().id(),
          job.task().queue(),
          lost);
      String error =
          "the connection of its gearman worker was lost %d times in a row (jobRetries %d)"
              .formatted(lost, jobRetries);
      add(new Ending(new Verdict.Archive(job.task(), error), then));
    } else {
      add(new Ending(new Verdict.Release(job.task()), then));
    }
  }

  /** It was claimed for a worker that is no longer there, or not wanted any more. */
  void giveBack(LeasedTask task) {
    add(new Ending(new Verdict.Release(task), end -> {}));
  }

  private void settle(List<Ending> batch) {
    List<Verdict> verdicts = batch.stream().map(Ending::verdict).toList();
    List<LeaseEnd> ends;
    while (true) {
      try {
        tell(verdicts);
        ends = functions.leases().settle(verdicts);
        break;
      } catch (BrokerException e) {
        if (!failing) {
          failing = true;
          log.warn("{} jobs cannot be settled yet: {}", batch.size(), e.getMessage());
        }
        if ((closing && System.nanoTime() - giveUpAt > 0) || !pause()) {
          log.warn("{} jobs were not settled; they run again when their leases end", batch.size());
          return;
        }
      }
    }
    if (failing) {
      failing = false;
      log.info("jobs can be settled again");
    }
    List<Runnable> told = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      Ending ending = batch.get(i);
      LeaseEnd end = ends.get(i);
      held.remove(ending.task());
      if (end.isLost()) {
        log.info(
            "the lease on task {} of queue {} was lost, and what its worker said of it is not taken",
            ending.task().id(),
            ending.task().queue());
      }
      told.add(() -> ending.then().accept(end));
    }
    loop.execute(() -> told.forEach(Runnable::run));
  }

  private void tell(List<Verdict> verdicts) {
    try {
      attempts.end(verdicts);
    } catch (BrokerException e) {
      throw e;
    } catch (RuntimeException e) {
      log.error("what has to be done after {} jobs was not done", verdicts.size(), e);
    }
  }

  private static boolean pause() {
    try {
      Thread.sleep(PAUSE_AFTER_FAILURE_MILLIS);
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  /** Extends all leases; three times in the time of one. */
  void keep() {
    List<Job> all = new ArrayList<>(held.values());
    TaskLeases leases = functions.leases();
    for (int begin = 0; begin < all.size(); begin += MOST_EXTENDED_AT_ONCE) {
      List<Job> some = all.subList(begin, Math.min(all.size(), begin + MOST_EXTENDED_AT_ONCE));
      List<Optional<Instant>> ends = leases.extend(some.stream().map(Job::task).toList(), lease);
      for (int i = 0; i < some.size(); i++) {
        Job job = some.get(i);
        // One that was settled in the meantime has no lease either.
        if (ends.get(i).isEmpty() && byHandle.remove(job.handle(), job)) {
          held.remove(job.task());
          loop.execute(() -> job.worker().leaseLost(job));
        }
      }
    }
  }

  /** Somebody wants a task to stop, and what is to become of it is in Redis. */
  void cancelled(String id) {
    for (Job job : byHandle.values()) {
      if (job.task().id().equals(id)) {
        LeasedTask task = job.task();
        functions
            .leases()
            .restore(task.queue().value(), task.id(), task.token())
            .flatMap(LeasedTask::cancelled)
            .ifPresent(after -> loop.execute(() -> job.worker().cancelled(job, after)));
      }
    }
  }

  /** Ends what has taken too long. */
  void endOverdue() {
    Instant now = clock.instant();
    for (Job job : byHandle.values()) {
      if (job.deadline().isBefore(now)) {
        loop.execute(() -> job.worker().overdue(job));
      }
    }
  }

  /** Settles what is to be settled, for so long; the rest runs again when its lease ends. */
  void close(Duration most) {
    giveUpAt = System.nanoTime() + most.toNanos();
    closing = true;
    endings.close(most.plusSeconds(1));
  }
}
