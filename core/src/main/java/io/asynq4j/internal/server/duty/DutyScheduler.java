package io.asynq4j.internal.server.duty;

import io.asynq4j.BrokerException;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the duties of a server, each when it is due, on a few threads. A failed duty is always
 * scheduled again.
 */
public final class DutyScheduler {

  private static final Logger log = LoggerFactory.getLogger(DutyScheduler.class);

  private static final int THREADS = 3;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final ShardTopology shards;
  private final ScheduledThreadPoolExecutor threads;

  public DutyScheduler(ShardTopology shards) {
    this.shards = shards;
    this.threads =
        new ScheduledThreadPoolExecutor(THREADS, DaemonThreadPools.factory("asynq-duty-"));
    threads.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Starts all duties at once; afterwards each determines its next run. */
  public void start(List<Duty> duties) {
    threads.prestartAllCoreThreads();
    duties.forEach(duty -> runIn(duty, Duration.ZERO));
  }

  // Ignoring the future is safe: a run catches and logs all failures itself.
  @SuppressWarnings("FutureReturnValueIgnored")
  private void runIn(Duty duty, Duration delay) {
    if (!threads.isShutdown()) {
      threads.schedule(() -> run(duty), delay.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void run(Duty duty) {
    Duration next = duty.interval();
    try {
      next = duty.action().get();
    } catch (BrokerException e) {
      if (!shards.outages().failed(shards.ofSharedKeys(), e)) {
        log.warn("the {} failed; retrying later", duty.name(), e);
      }
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "a duty of the server failed; retrying later", e);
      shards.outages().failed(shards.ofSharedKeys(), e);
    } finally {
      runAgain(duty, next);
    }
  }

  /** Retries until the duty is scheduled: otherwise it would never run again. */
  private void runAgain(Duty duty, Duration delay) {
    boolean done = false;
    while (!done && !threads.isShutdown()) {
      try {
        runIn(duty, jittered(delay));
        done = true;
      } catch (RejectedExecutionException e) {
        done = true;
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, "could not schedule a duty of the server; retrying", e);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** Adds jitter, so that servers that were started together do not all run at the same time. */
  private static Duration jittered(Duration time) {
    return Duration.ofNanos(
        (long) (time.toNanos() * ThreadLocalRandom.current().nextDouble(0.9, 1.1)));
  }

  /** Waits until running duties have ended. */
  public void stop(Duration most) {
    DaemonThreadPools.shutDown(threads, most);
  }
}
