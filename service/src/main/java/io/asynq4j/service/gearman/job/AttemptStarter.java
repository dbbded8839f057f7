package io.asynq4j.service.gearman.job;

import io.asynq4j.lease.LeasedTask;
import io.asynq4j.service.executor.KeyedBatchExecutor;
import io.asynq4j.service.executor.RedisServerLocator;
import io.asynq4j.service.gearman.AttemptListener;
import io.asynq4j.service.gearman.protocol.EventLoop;
import io.asynq4j.service.lease.QueueAvailability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts attempts of claimed tasks whose follow-ups need a certain Redis server of a cluster, and
 * then assigns the tasks to their workers. Calls are made on a thread of that server. A worker
 * waits a short time for them. Then its task is requeued, and the queue is suspended until the
 * calls have ended. Thread-safe.
 */
final class AttemptStarter {

  private static final Logger log = LoggerFactory.getLogger(AttemptStarter.class);

  private static final int MAX_BATCH = 64;
  private static final long TIMEOUT_MILLIS = 250;
  private static final long PAUSE_AFTER_FAILURE_MILLIS = 1_000;

  private final AttemptListener attempts;
  private final RedisServerLocator servers;
  private final QueueAvailability queues;
  private final EventLoop loop;
  private final ScheduledExecutorService timer;
  private final KeyedBatchExecutor<String, Group> lanes;

  AttemptStarter(
      AttemptListener attempts,
      RedisServerLocator servers,
      QueueAvailability queues,
      EventLoop loop,
      ScheduledExecutorService timer) {
    this.attempts = attempts;
    this.servers = servers;
    this.queues = queues;
    this.loop = loop;
    this.timer = timer;
    this.lanes =
        KeyedBatchExecutor.perServer(
            "asynq-gearman-start", MAX_BATCH, (names, groups) -> start(groups));
  }

  /**
   * Starts the tasks that need a certain server.
   *
   * @return the other tasks, which the caller has to start
   */
  Map<ClaimRequest, LeasedTask> startElsewhere(Map<ClaimRequest, LeasedTask> claimed) {
    Map<ClaimRequest, LeasedTask> others = new LinkedHashMap<>();
    Map<String, Map<ClaimRequest, LeasedTask>> byServers = new LinkedHashMap<>();
    claimed.forEach(
        (request, task) -> {
          String names = servers.of(attempts.queuesBefore(task));
          Map<ClaimRequest, LeasedTask> same =
              names.isEmpty()
                  ? others
                  : byServers.computeIfAbsent(names, any -> new LinkedHashMap<>());
          same.put(request, task);
        });
    byServers.forEach((names, tasks) -> start(names, new Group(tasks)));
    return others;
  }

  private void start(String names, Group group) {
    if (lanes.add(names, group)) {
      schedule(group::timeOut, TIMEOUT_MILLIS);
    } else {
      group.requeue();
    }
  }

  private void schedule(Runnable step, long millis) {
    ScheduledFuture<?> unused = timer.schedule(step, millis, TimeUnit.MILLISECONDS);
  }

  private void start(List<Group> groups) {
    List<LeasedTask> tasks = new ArrayList<>();
    groups.stream().filter(Group::isAwaited).forEach(group -> tasks.addAll(group.claimed.values()));
    boolean isStarted = false;
    try {
      if (!tasks.isEmpty()) {
        attempts.begin(tasks);
      }
      isStarted = true;
    } catch (RuntimeException e) {
      log.warn("{} jobs cannot be started and are requeued: {}", tasks.size(), e.toString());
    } finally {
      for (Group group : groups) {
        group.ended(isStarted);
      }
    }
  }

  /** Waits up to this time for calls in progress. */
  void close(Duration timeout) {
    lanes.close(timeout);
  }

  /** Tasks that were claimed together and need the same server. */
  private final class Group {
    private final Map<ClaimRequest, LeasedTask> claimed;
    private final Set<String> names = new HashSet<>();

    /** The workers have been answered. Guarded by this. */
    private boolean answered;

    Group(Map<ClaimRequest, LeasedTask> claimed) {
      this.claimed = claimed;
      claimed.values().forEach(task -> names.add(task.queue().value()));
    }

    synchronized boolean isAwaited() {
      return !answered;
    }

    void timeOut() {
      synchronized (this) {
        if (answered) {
          return;
        }
        answered = true;
        queues.suspend(names);
      }
      requeue();
    }

    void ended(boolean isStarted) {
      boolean isLate;
      synchronized (this) {
        isLate = answered;
        answered = true;
      }
      if (!isLate && isStarted) {
        loop.execute(
            () -> claimed.forEach((request, task) -> request.worker().assigned(request, task)));
        return;
      }
      if (!isLate) {
        queues.suspend(names);
        requeue();
      }
      if (isStarted) {
        queues.resume(names);
      } else {
        schedule(() -> queues.resume(names), PAUSE_AFTER_FAILURE_MILLIS);
      }
    }

    void requeue() {
      loop.execute(
          () -> claimed.forEach((request, task) -> request.worker().notStarted(request, task)));
    }
  }
}
