package io.asynq4j.service.gearman.job;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.handler.Outcome;
import io.asynq4j.lease.LeaseOutcome;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.service.executor.KeyedBatchExecutor;
import io.asynq4j.service.executor.ServerThreadPools;
import io.asynq4j.service.gearman.AttemptListener;
import io.asynq4j.service.gearman.GearmanConfig;
import io.asynq4j.service.gearman.job.JobSettler.FinishedJob;
import io.asynq4j.service.gearman.protocol.EventLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs that workers of this gateway have: keeps their leases as long as their connections live
 * and until they are settled. Thread-safe.
 */
public final class AssignedJobRegistry {

  private static final Logger log = LoggerFactory.getLogger(AssignedJobRegistry.class);

  private static final int MOST_SETTLED_AT_ONCE = 500;
  private static final int MOST_EXTENDED_AT_ONCE = 500;

  /** For each Redis server of a cluster. Beyond this many queues, the next one waits. */
  private static final int MOST_THREADS = 64;

  private static final int MOST_REMEMBERED = 10_000;

  private final FunctionRegistry functions;
  private final EventLoop loop;
  private final Duration lease;
  private final int jobRetries;
  private final AttemptListener attempts;
  private final Map<LeasedTask, AssignedJob> held = new ConcurrentHashMap<>();
  private final Map<String, AssignedJob> byHandle = new ConcurrentHashMap<>();
  private final JobSettler settler;
  private final KeyedBatchExecutor<QueueName, FinishedJob> finished;

  /** Finished jobs for which there was no thread. */
  private final Queue<FinishedJob> untaken = new ConcurrentLinkedQueue<>();

  private final KeyedBatchExecutor<QueueName, AssignedJob> extensions;

  /** Queues whose leases could not be extended the last time. */
  private final Set<QueueName> unextended = ConcurrentHashMap.newKeySet();

  private volatile boolean closing;

  /** How often in a row the workers of a job were lost; only on the loop. */
  private final Map<JobKey, Integer> losses =
      new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<JobKey, Integer> eldest) {
          return size() > MOST_REMEMBERED;
        }
      };

  public AssignedJobRegistry(
      FunctionRegistry functions, EventLoop loop, GearmanConfig config, AttemptListener attempts) {
    this(functions, loop, config, attempts, daemons("settle"));
  }

  /**
   * @param settlers makes the threads that settle jobs
   */
  AssignedJobRegistry(
      FunctionRegistry functions,
      EventLoop loop,
      GearmanConfig config,
      AttemptListener attempts,
      ThreadFactory settlers) {
    this.attempts = attempts;
    this.functions = functions;
    this.loop = loop;
    this.lease = config.lease();
    this.jobRetries = config.jobRetries();
    this.settler = new JobSettler(functions, loop, attempts, held::remove);
    this.finished =
        new KeyedBatchExecutor<>(
            new ServerThreadPools(settlers, MOST_THREADS),
            (queue, job) -> serversToSettle(job.task()),
            MOST_SETTLED_AT_ONCE,
            settler::settle);
    this.extensions =
        new KeyedBatchExecutor<>(
            new ServerThreadPools(daemons("extend"), MOST_THREADS),
            (queue, job) -> functions.servers().of(queue.value()),
            MOST_EXTENDED_AT_ONCE,
            this::extend);
  }

  private String serversToSettle(LeasedTask task) {
    Set<String> queues = new HashSet<>(attempts.queuesAfter(task));
    queues.add(task.queue().value());
    return functions.servers().of(queues);
  }

  private static ThreadFactory daemons(String name) {
    return task -> {
      Thread thread = new Thread(task, "asynq-gearman-" + name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** From now on its lease is kept. */
  public void take(AssignedJob job) {
    held.put(job.task(), job);
    byHandle.put(job.handle(), job);
  }

  public Optional<AssignedJob> find(String handle) {
    return Optional.ofNullable(byHandle.get(handle));
  }

  public int size() {
    return held.size();
  }

  /**
   * Ends a job.
   *
   * @param then called on the loop with the outcome that was applied; empty when the lease is lost
   */
  public void end(AssignedJob job, Outcome outcome, Consumer<Optional<Outcome>> then) {
    byHandle.remove(job.handle(), job);
    losses.remove(job.key());
    add(job.task(), outcome, then);
  }

  private void add(LeasedTask task, Outcome outcome, Consumer<Optional<Outcome>> then) {
    add(new FinishedJob(new LeaseOutcome(task, outcome), then));
  }

  private void add(FinishedJob job) {
    if (finished.add(job.task().queue(), job)) {
      return;
    }
    boolean isKept = false;
    try {
      isKept = !closing && untaken.add(job);
    } finally {
      if (!isKept) {
        held.remove(job.task());
      }
    }
    log.warn(
        isKept
            ? "task {} of queue {} is not settled yet, since there is no thread or no memory"
            : "task {} of queue {} was not settled, since the gateway is closing; it runs again when its"
                + " lease ends",
        job.task().id(),
        job.task().queue());
  }

  /**
   * Its worker is gone: another one gets it, as often as may be.
   *
   * @param then called on the loop with the outcome that was applied; empty when the lease is lost
   */
  public void workerLost(AssignedJob job, Consumer<Optional<Outcome>> then) {
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
      add(job.task(), Outcome.archive(error), then);
    } else {
      add(job.task(), Outcome.requeue(), then);
    }
  }

  /** It was claimed for a worker that is no longer there, or not wanted any more. */
  public void giveBack(LeasedTask task) {
    add(task, Outcome.requeue(), applied -> {});
  }

  /**
   * Extends all leases; three times in the time of one. Each queue by itself, and not again while
   * it is still at it. Finished jobs for which there was no thread are taken up again.
   */
  public void keep() {
    settleUntaken();
    Map<QueueName, List<AssignedJob>> byQueue = new HashMap<>();
    for (AssignedJob job : held.values()) {
      byQueue.computeIfAbsent(job.task().queue(), any -> new ArrayList<>()).add(job);
    }
    byQueue.forEach(
        (queue, jobs) -> {
          if (!extensions.isBusy(queue)) {
            jobs.forEach(job -> extensions.add(queue, job));
          }
        });
  }

  private void settleUntaken() {
    finished.catchUp();
    for (int left = untaken.size(); left > 0; left--) {
      FinishedJob job = untaken.poll();
      if (job != null) {
        add(job);
      }
    }
  }

  private void extend(QueueName queue, List<AssignedJob> jobs) {
    List<Optional<Instant>> ends;
    try {
      ends = functions.leases().extend(jobs.stream().map(AssignedJob::task).toList(), lease);
    } catch (RuntimeException e) {
      if (unextended.add(queue)) {
        log.warn(
            "leases on {} jobs of queue {} cannot be extended: {}",
            jobs.size(),
            queue,
            e.getMessage());
      }
      return;
    }
    unextended.remove(queue);
    for (int i = 0; i < jobs.size(); i++) {
      AssignedJob job = jobs.get(i);
      if (ends.get(i).isEmpty()) {
        held.remove(job.task());
        // One that has ended in the meantime has no lease either.
        if (byHandle.remove(job.handle(), job)) {
          loop.execute(() -> job.worker().leaseLost(job));
        }
      }
    }
  }

  /** The jobs whose tasks have this ID, which are of different queues. */
  public List<AssignedJob> withId(String id) {
    return byHandle.values().stream().filter(job -> job.task().id().equals(id)).toList();
  }

  /** Stops a job if Redis has its cancellation. */
  public void stopIfCancelled(AssignedJob job) {
    LeasedTask task = job.task();
    try {
      functions
          .leases()
          .restore(task.queue().value(), task.id(), task.token())
          .flatMap(LeasedTask::cancelled)
          .ifPresent(after -> loop.execute(() -> job.worker().cancelled(job, after)));
    } catch (BrokerException e) {
      log.warn(
          "whether task {} of queue {} was cancelled is not known: {}",
          task.id(),
          task.queue(),
          e.getMessage());
    }
  }

  /** Ends what has taken too long. */
  public void endOverdue() {
    for (AssignedJob job : byHandle.values()) {
      if (job.isOverdue()) {
        loop.execute(() -> job.worker().overdue(job));
      }
    }
  }

  /** Settles what is to be settled, for so long; the rest runs again when its lease ends. */
  public void close(Duration most) {
    settler.close(most);
    closing = true;
    settleUntaken();
    finished.close(most.plusSeconds(1));
    extensions.close(Duration.ZERO);
  }
}
