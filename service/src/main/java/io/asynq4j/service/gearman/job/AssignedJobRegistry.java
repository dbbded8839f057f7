package io.asynq4j.service.gearman.job;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.LeasedTask.LeaseOutcome;
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
 * The jobs that workers of this gateway have. Extends their leases while the workers are connected
 * and until the jobs are settled. Thread-safe.
 */
public final class AssignedJobRegistry {

  private static final Logger log = LoggerFactory.getLogger(AssignedJobRegistry.class);

  private static final int MAX_SETTLE_BATCH = 500;
  private static final int MAX_EXTEND_BATCH = 500;

  /** For each Redis server of a cluster. Beyond this many queues, the next one waits. */
  private static final int MAX_THREADS = 64;

  private static final int MAX_LOSSES = 10_000;

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
  private final Queue<FinishedJob> unsettled = new ConcurrentLinkedQueue<>();

  private final KeyedBatchExecutor<QueueName, AssignedJob> extensions;

  /** Queues whose leases could not be extended the last time. */
  private final Set<QueueName> unextended = ConcurrentHashMap.newKeySet();

  private volatile boolean closing;

  /** Number of workers in a row that a job has lost. Only for the event loop. */
  private final Map<JobKey, Integer> losses =
      new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<JobKey, Integer> eldest) {
          return size() > MAX_LOSSES;
        }
      };

  public AssignedJobRegistry(
      FunctionRegistry functions, EventLoop loop, GearmanConfig config, AttemptListener attempts) {
    this(functions, loop, config, attempts, DaemonThreadPools.factory("asynq-gearman-settle"));
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
            new ServerThreadPools(settlers, MAX_THREADS),
            (queue, job) -> serversToSettle(job.task()),
            MAX_SETTLE_BATCH,
            settler::settle);
    this.extensions =
        new KeyedBatchExecutor<>(
            new ServerThreadPools("asynq-gearman-extend", MAX_THREADS),
            (queue, job) -> functions.servers().of(queue.value()),
            MAX_EXTEND_BATCH,
            this::extend);
  }

  private String serversToSettle(LeasedTask task) {
    Set<String> queues = new HashSet<>(attempts.queuesAfter(task));
    queues.add(task.queue().value());
    return functions.servers().of(queues);
  }

  /** Extends the lease of a job from now on. */
  public void add(AssignedJob job) {
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
   * Settles a job.
   *
   * @param then called on the event loop with the outcome that was applied; empty when the lease is
   *     lost
   */
  public void settle(AssignedJob job, Outcome outcome, Consumer<Optional<Outcome>> then) {
    byHandle.remove(job.handle(), job);
    losses.remove(job.key());
    settle(job.task(), outcome, then);
  }

  private void settle(LeasedTask task, Outcome outcome, Consumer<Optional<Outcome>> then) {
    settle(new FinishedJob(new LeaseOutcome(task, outcome), then));
  }

  private void settle(FinishedJob job) {
    if (finished.add(job.task().queue(), job)) {
      return;
    }
    boolean isKept = false;
    try {
      isKept = !closing && unsettled.add(job);
    } finally {
      if (!isKept) {
        held.remove(job.task());
      }
    }
    log.warn(
        isKept
            ? "task {} of queue {} is not settled yet, because there is no thread or no memory"
            : "task {} of queue {} was not settled, because the gateway is closing; it runs again"
                + " when its lease ends",
        job.task().id(),
        job.task().queue());
  }

  /**
   * Requeues a job whose worker has disconnected, or archives it after too many losses.
   *
   * @param then called on the event loop with the outcome that was applied; empty when the lease is
   *     lost
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
      settle(job.task(), Outcome.archive(error), then);
    } else {
      settle(job.task(), Outcome.requeue(), then);
    }
  }

  /** Requeues a task whose worker has disconnected, or that cannot be started. */
  public void requeue(LeasedTask task) {
    settle(task, Outcome.requeue(), applied -> {});
  }

  /**
   * Extends all leases; to be called three times per lease time. Each queue is extended separately,
   * and not while an earlier extension is in progress. Also retries to settle finished jobs for
   * which there was no thread.
   */
  public void extendLeases() {
    retryUnsettled();
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

  private void retryUnsettled() {
    finished.catchUp();
    for (int left = unsettled.size(); left > 0; left--) {
      FinishedJob job = unsettled.poll();
      if (job != null) {
        settle(job);
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
        // A job that has ended in the meantime has no lease either.
        if (byHandle.remove(job.handle(), job)) {
          loop.execute(() -> job.worker().leaseLost(job));
        }
      }
    }
  }

  /** The jobs whose tasks have this ID, in different queues. */
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
          "cannot check whether task {} of queue {} was cancelled: {}",
          task.id(),
          task.queue(),
          e.getMessage());
    }
  }

  /** Ends jobs that have exceeded their time limit. */
  public void endOverdue() {
    for (AssignedJob job : byHandle.values()) {
      if (job.isOverdue()) {
        loop.execute(() -> job.worker().overdue(job));
      }
    }
  }

  /** Settles finished jobs, up to this time; the others run again when their leases end. */
  public void close(Duration timeout) {
    settler.close(timeout);
    closing = true;
    retryUnsettled();
    finished.close(timeout.plusSeconds(1));
    extensions.close(Duration.ZERO);
  }
}
