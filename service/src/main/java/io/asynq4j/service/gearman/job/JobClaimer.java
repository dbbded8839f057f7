package io.asynq4j.service.gearman.job;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.TaskLeases.LeaseBatch;
import io.asynq4j.service.executor.KeyedBatchExecutor;
import io.asynq4j.service.gearman.AttemptListener;
import io.asynq4j.service.gearman.protocol.EventLoop;
import io.asynq4j.service.gearman.session.WorkerSession;
import io.asynq4j.service.lease.QueueAvailability;
import io.asynq4j.service.lease.QueueClaimer;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims jobs for gearman workers that request one, and wakes sleeping workers. Thread-safe.
 *
 * <p>A worker may sleep only while none of its queues may have tasks ({@link QueueAvailability}).
 * So no job waits while a worker sleeps that could do it, and no worker is woken for a job that it
 * cannot have yet. Requests for queues without tasks are answered without asking Redis.
 * Notifications may get lost, so once a second the queues are checked, and one sleeping worker of
 * each queue that has tasks is woken.
 */
public final class JobClaimer {

  private static final Logger log = LoggerFactory.getLogger(JobClaimer.class);

  private static final int MAX_BATCH = 256;

  /** All requests are served together, whatever the servers of their queues. */
  private static final String ONE_LANE = "";

  private static final Duration PAUSE_AFTER_REFUSAL = Duration.ofSeconds(1);

  private final EventLoop loop;
  private final Duration lease;
  private final AttemptListener attempts;
  private final AttemptStarter starter;
  private final QueueAvailability availability;
  private final QueueClaimer claimer;
  private final KeyedBatchExecutor<String, ClaimRequest> requests;

  // All guarded by this.
  private final Map<WorkerSession, Set<String>> sleeping = new LinkedHashMap<>();
  private boolean outage;
  private boolean draining;

  public JobClaimer(
      FunctionRegistry functions,
      EventLoop loop,
      Duration lease,
      Clock clock,
      ScheduledExecutorService timer,
      AttemptListener attempts) {
    this.loop = loop;
    this.lease = lease;
    this.attempts = attempts;
    this.availability = new QueueAvailability(clock, new Waker());
    this.starter = new AttemptStarter(attempts, functions.servers(), availability, loop, timer);
    this.claimer = new QueueClaimer(functions::leases, availability);
    this.requests =
        KeyedBatchExecutor.perServer(
            "asynq-gearman-claim", MAX_BATCH, (lane, batch) -> serve(batch));
  }

  /** Queues a request, which the event loop answers. */
  public void add(ClaimRequest request) {
    if (!requests.add(ONE_LANE, request)) {
      request.worker().noJob(request);
    }
  }

  /** Lets a worker sleep until it is woken. Returns false when there may be a job for it. */
  public synchronized boolean sleep(WorkerSession worker, Set<String> queues) {
    if (!draining && !outage && queues.stream().anyMatch(availability::mayHaveTasks)) {
      return false;
    }
    sleeping.put(worker, queues);
    return true;
  }

  /** Records that a worker no longer sleeps, or has disconnected. */
  public synchronized void stopSleeping(WorkerSession worker) {
    sleeping.remove(worker);
  }

  /**
   * Records that this gateway enqueued a job: workers that request one get it before Redis reports
   * it. Sleeping workers are woken when Redis does.
   */
  void enqueued(String queue) {
    availability.enqueued(queue);
  }

  /** Wakes all workers, for example when definitions have changed. */
  public void allQueuesChanged() {
    availability.allChanged();
  }

  private final class Waker implements QueueAvailability.Listener {
    @Override
    public void changed(Set<String> queues) {
      synchronized (JobClaimer.this) {
        wake(sleepingOn(queues));
      }
    }

    @Override
    public void allChanged() {
      synchronized (JobClaimer.this) {
        wake(List.copyOf(sleeping.keySet()));
      }
    }
  }

  private List<WorkerSession> sleepingOn(Set<String> changed) {
    List<WorkerSession> workers = new ArrayList<>();
    sleeping.forEach(
        (worker, queues) -> {
          if (!Collections.disjoint(queues, changed)) {
            workers.add(worker);
          }
        });
    return workers;
  }

  private void wake(Collection<WorkerSession> workers) {
    if (draining || workers.isEmpty()) {
      return;
    }
    sleeping.keySet().removeAll(workers);
    loop.execute(() -> workers.forEach(WorkerSession::wake));
  }

  /** Claims no more jobs and lets all workers sleep. */
  public synchronized void drain() {
    draining = true;
  }

  private synchronized boolean isClaiming() {
    return !draining && !outage;
  }

  private void serve(List<ClaimRequest> batch) {
    Requests open = new Requests(batch);
    try {
      if (isClaiming()) {
        claimer.claimFor(open, open.queues());
      }
    } catch (BrokerException e) {
      startOutage(e);
    } finally {
      Map<ClaimRequest, LeasedTask> started = starter.startElsewhere(open.assigned);
      boolean isStarted = start(started.values());
      loop.execute(
          () -> {
            started.forEach(
                (request, task) -> {
                  if (isStarted) {
                    request.worker().assigned(request, task);
                  } else {
                    request.worker().notStarted(request, task);
                  }
                });
            open.unassigned.forEach(request -> request.worker().noJob(request));
          });
    }
  }

  private boolean start(Collection<LeasedTask> tasks) {
    if (tasks.isEmpty()) {
      return true;
    }
    try {
      attempts.begin(List.copyOf(tasks));
      return true;
    } catch (BrokerException e) {
      startOutage(e);
    } catch (RuntimeException e) {
      log.error("{} jobs cannot be started and are requeued", tasks.size(), e);
    }
    return false;
  }

  /** Requests of workers that are answered together. Used by one thread. */
  private final class Requests implements QueueClaimer.Workers {
    private final Set<ClaimRequest> unassigned;
    private final Map<ClaimRequest, LeasedTask> assigned = new LinkedHashMap<>();

    Requests(List<ClaimRequest> batch) {
      this.unassigned = new LinkedHashSet<>(batch);
    }

    /** The queues in the order of claims: each function's queues by descending priority. */
    List<String> queues() {
      Map<String, Integer> ranks = new LinkedHashMap<>();
      for (ClaimRequest request : unassigned) {
        int rank = 0;
        for (String queue : request.functions().keySet()) {
          ranks.merge(queue, rank++, Math::min);
        }
      }
      return ranks.entrySet().stream()
          .sorted(Map.Entry.comparingByValue())
          .map(Map.Entry::getKey)
          .toList();
    }

    @Override
    public boolean want(String queue) {
      return unassigned.stream().anyMatch(request -> request.functions().containsKey(queue));
    }

    @Override
    public boolean exhaust(String queue) {
      List<ClaimRequest> waiting =
          unassigned.stream().filter(request -> request.functions().containsKey(queue)).toList();
      LeaseBatch batch = claim(queue, waiting.size());
      if (batch == null) {
        return false;
      }
      List<LeasedTask> tasks = batch.tasks();
      for (int i = 0; i < tasks.size(); i++) {
        assigned.put(waiting.get(i), tasks.get(i));
        unassigned.remove(waiting.get(i));
      }
      return tasks.size() < waiting.size();
    }
  }

  /** Returns null when the queue is unavailable. */
  private @Nullable LeaseBatch claim(String queue, int max) {
    try {
      return claimer.claim(queue, max, lease);
    } catch (BrokerRefusedException e) {
      log.warn("jobs of queue {} cannot be claimed; trying again: {}", queue, e.getMessage());
      availability.unavailableFor(queue, PAUSE_AFTER_REFUSAL);
      return null;
    }
  }

  private synchronized void startOutage(BrokerException e) {
    if (!outage) {
      outage = true;
      log.warn("gearman workers get no jobs until Redis answers again: {}", e.getMessage());
    }
  }

  /**
   * Checks the queues that are considered empty or that workers sleep on, as a notification may
   * have been lost. Ends an outage when Redis answers.
   */
  public void recheck() {
    Set<String> queues = new HashSet<>();
    boolean wasOutage;
    synchronized (this) {
      wasOutage = outage;
      sleeping.values().forEach(queues::addAll);
    }
    if (wasOutage) {
      queues.addAll(availability.known());
    } else {
      queues.addAll(availability.empty());
      queues.removeIf(availability::isInaccessible);
      if (queues.isEmpty()) {
        return;
      }
    }
    Set<String> withTasks;
    try {
      withTasks = claimer.withTasks(queues);
    } catch (BrokerException e) {
      startOutage(e);
      return;
    }
    if (wasOutage) {
      endOutage();
    } else {
      withTasks.forEach(this::wakeForLostChange);
    }
  }

  private void endOutage() {
    log.info("gearman workers get jobs again");
    synchronized (this) {
      outage = false;
    }
    availability.allChanged();
  }

  /** A notification was lost, or there is a pause or a limit: one worker is woken to find out. */
  private synchronized void wakeForLostChange(String queue) {
    boolean wasEmpty = availability.suspect(queue);
    List<WorkerSession> workers = sleepingOn(Set.of(queue));
    // If the queue was not empty, the worker woken before has not requested a job.
    wake(wasEmpty ? workers.subList(0, Math.min(1, workers.size())) : workers);
  }

  /** Waits up to this time until claimed jobs have reached the event loop. */
  public void close(Duration timeout) {
    long until = System.nanoTime() + timeout.toNanos();
    requests.close(timeout);
    starter.close(Duration.ofNanos(Math.max(0, until - System.nanoTime())));
    claimer.close();
  }
}
