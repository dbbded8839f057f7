package io.asynq4j.service.gearman.job;

import io.asynq4j.lease.LeasedTask;
import io.asynq4j.service.executor.KeyedBatchExecutor;
import io.asynq4j.service.executor.RedisServerLocator;
import io.asynq4j.service.executor.ServerThreadPools;
import io.asynq4j.service.gearman.AttemptListener;
import io.asynq4j.service.gearman.protocol.EventLoop;
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
 * Begins attempts at claimed tasks whose follow-ups need a certain Redis server of a cluster, and
 * then gives the tasks to their workers. Calls are made on a thread of that server. A worker waits
 * a short time for them; then its task goes back, and the queue is held until they have ended.
 * Thread-safe.
 */
final class AttemptStarter {

  private static final Logger log = LoggerFactory.getLogger(AttemptStarter.class);

  private static final int MOST_AT_ONCE = 64;
  private static final long PATIENCE_MILLIS = 250;
  private static final long REST_AFTER_FAILURE_MILLIS = 1_000;

  /** Has queues give no tasks for a while. */
  interface Queues {

    void hold(Set<String> queues);

    /** Called once for each {@link #hold}. */
    void resume(Set<String> queues);
  }

  private final AttemptListener attempts;
  private final RedisServerLocator servers;
  private final Queues queues;
  private final EventLoop loop;
  private final ScheduledExecutorService timer;
  private final KeyedBatchExecutor<String, Group> lanes;

  AttemptStarter(
      AttemptListener attempts,
      RedisServerLocator servers,
      Queues queues,
      EventLoop loop,
      ScheduledExecutorService timer) {
    this.attempts = attempts;
    this.servers = servers;
    this.queues = queues;
    this.loop = loop;
    this.timer = timer;
    this.lanes =
        new KeyedBatchExecutor<>(
            new ServerThreadPools(AttemptStarter::daemon, 1),
            (names, group) -> names,
            MOST_AT_ONCE,
            (names, groups) -> begin(groups));
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "asynq-gearman-begin");
    thread.setDaemon(true);
    return thread;
  }

  /** Returns the tasks that need no server of a cluster, which the caller begins. */
  Map<ClaimRequest, LeasedTask> handOver(Map<ClaimRequest, LeasedTask> given) {
    Map<ClaimRequest, LeasedTask> others = new LinkedHashMap<>();
    Map<String, Map<ClaimRequest, LeasedTask>> byServers = new LinkedHashMap<>();
    given.forEach(
        (grab, task) -> {
          String names = servers.of(attempts.queuesBefore(task));
          Map<ClaimRequest, LeasedTask> same =
              names.isEmpty()
                  ? others
                  : byServers.computeIfAbsent(names, any -> new LinkedHashMap<>());
          same.put(grab, task);
        });
    byServers.forEach((names, some) -> start(names, new Group(some)));
    return others;
  }

  private void start(String names, Group group) {
    if (lanes.add(names, group)) {
      schedule(group::giveUp, PATIENCE_MILLIS);
    } else {
      group.giveBack();
    }
  }

  private void schedule(Runnable step, long millis) {
    ScheduledFuture<?> unused = timer.schedule(step, millis, TimeUnit.MILLISECONDS);
  }

  private void begin(List<Group> groups) {
    List<LeasedTask> tasks = new ArrayList<>();
    groups.stream().filter(Group::isAwaited).forEach(group -> tasks.addAll(group.given.values()));
    boolean begun = false;
    try {
      if (!tasks.isEmpty()) {
        attempts.begin(tasks);
      }
      begun = true;
    } catch (RuntimeException e) {
      log.warn("{} jobs cannot begin and go back to their queues: {}", tasks.size(), e.toString());
    } finally {
      for (Group group : groups) {
        group.ended(begun);
      }
    }
  }

  /** Waits this long for calls that are under way. */
  void close(Duration longest) {
    lanes.close(longest);
  }

  /** Tasks that were claimed together and need the same server. */
  private final class Group {
    private final Map<ClaimRequest, LeasedTask> given;
    private final Set<String> names = new HashSet<>();

    /** The workers have been answered. Guarded by this. */
    private boolean answered;

    Group(Map<ClaimRequest, LeasedTask> given) {
      this.given = given;
      given.values().forEach(task -> names.add(task.queue().value()));
    }

    synchronized boolean isAwaited() {
      return !answered;
    }

    void giveUp() {
      synchronized (this) {
        if (answered) {
          return;
        }
        answered = true;
        queues.hold(names);
      }
      giveBack();
    }

    void ended(boolean begun) {
      boolean isLate;
      synchronized (this) {
        isLate = answered;
        answered = true;
      }
      if (!isLate && begun) {
        loop.execute(() -> given.forEach((grab, task) -> grab.worker().assigned(grab, task)));
        return;
      }
      if (!isLate) {
        queues.hold(names);
        giveBack();
      }
      if (begun) {
        queues.resume(names);
      } else {
        schedule(() -> queues.resume(names), REST_AFTER_FAILURE_MILLIS);
      }
    }

    void giveBack() {
      loop.execute(() -> given.forEach((grab, task) -> grab.worker().withheld(grab, task)));
    }
  }
}
