package io.asynq4j.internal.server.duty;

import io.asynq4j.BrokerException;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has the duties done, each when its time has come, on a few threads. A duty never dies. */
public final class DutyScheduler {

  private static final Logger log = LoggerFactory.getLogger(DutyScheduler.class);

  private static final int THREADS = 3;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final ShardTopology shards;
  private final ScheduledThreadPoolExecutor threads;

  public DutyScheduler(ShardTopology shards) {
    this.shards = shards;
    AtomicInteger number = new AtomicInteger();
    this.threads =
        new ScheduledThreadPoolExecutor(
            THREADS,
            task -> {
              Thread thread = new Thread(task, "asynq-duty-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    threads.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** All for the first time at once, and from then on each when it says. */
  public void start(List<Duty> duties) {
    threads.prestartAllCoreThreads();
    duties.forEach(duty -> runIn(duty, Duration.ZERO));
  }

  // Nothing is lost with the future: a run catches and logs all by itself.
  @SuppressWarnings("FutureReturnValueIgnored")
  private void runIn(Duty duty, Duration delay) {
    if (!threads.isShutdown()) {
      threads.schedule(() -> run(duty), delay.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void run(Duty duty) {
    Duration next = duty.interval();
    try {
      next = duty.run();
    } catch (BrokerException e) {
      if (!shards.outages().failed(shards.ofSharedKeys(), e)) {
        log.warn("the {} failed and tries again", duty.name(), e);
      }
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "a duty failed and tries again", e);
      shards.outages().failed(shards.ofSharedKeys(), e);
    } finally {
      runAgain(duty, next);
    }
  }

  /** A duty that is not scheduled again would be forgotten: so this is tried until it is done. */
  private void runAgain(Duty duty, Duration delay) {
    boolean done = false;
    while (!done && !threads.isShutdown()) {
      try {
        runIn(duty, jittered(delay));
        done = true;
      } catch (RejectedExecutionException e) {
        done = true;
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, "could not schedule a duty; that is tried again", e);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** Many servers that were started together should not all come at the same time. */
  private static Duration jittered(Duration time) {
    return Duration.ofNanos(
        (long) (time.toNanos() * ThreadLocalRandom.current().nextDouble(0.9, 1.1)));
  }

  /** Waits until what runs has ended. */
  public void stop(Duration most) {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(most.toNanos(), TimeUnit.NANOSECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
