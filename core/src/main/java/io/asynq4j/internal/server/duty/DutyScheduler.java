package io.asynq4j.internal.server.duty;

import io.asynq4j.BrokerException;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the duties of a server, its periodic background jobs, each when it is due, on a few threads.
 * A failed duty is always scheduled again. Duties are added before the start.
 */
public final class DutyScheduler {

  private static final Logger log = LoggerFactory.getLogger(DutyScheduler.class);

  private static final String DUTY_FAILED = SafeLog.text("a duty failed; retrying later");

  private static final String NOT_SCHEDULED = SafeLog.text("could not schedule a duty; retrying");

  private static final int THREADS = 3;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * @param nextRun the number of the run that is scheduled
   */
  private record Duty(
      String name, Duration interval, Supplier<Duration> action, AtomicLong nextRun) {}

  private final List<Duty> duties = new ArrayList<>();
  private final ShardTopology shards;
  private final ScheduledThreadPoolExecutor threads;

  public DutyScheduler(ShardTopology shards, ThreadFactory factory) {
    this.shards = shards;
    this.threads = new ScheduledThreadPoolExecutor(THREADS, factory);
    threads.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    threads.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
  }

  /** Adds a duty that runs at a fixed interval. */
  public void every(Duration interval, String name, Runnable job) {
    add(
        interval,
        name,
        () -> {
          job.run();
          return interval;
        });
  }

  /**
   * Adds a duty.
   *
   * @param interval the delay until the next run after a failure
   * @param action runs the job and returns the delay until the next run; may throw
   */
  public void add(Duration interval, String name, Supplier<Duration> action) {
    duties.add(new Duty(name, interval, action, new AtomicLong()));
  }

  /** Starts all duties at once; afterwards each determines its next run. */
  public void start() {
    threads.prestartAllCoreThreads();
    duties.forEach(duty -> schedule(duty, 0, Duration.ZERO));
  }

  // Ignoring the future is safe: a run catches and logs all failures itself.
  @SuppressWarnings("FutureReturnValueIgnored")
  private void schedule(Duty duty, long run, Duration delay) {
    threads.schedule(() -> run(duty, run), delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void run(Duty duty, long run) {
    // Without threads, scheduling may fail although the run was added, and is then repeated.
    if (!duty.nextRun().compareAndSet(run, run + 1)) {
      return;
    }
    Duration next = duty.interval();
    try {
      next = duty.action().get();
    } catch (BrokerException e) {
      if (!shards.outages().failed(shards.ofSharedKeys(), e)) {
        log.warn("the {} failed; retrying later", duty.name(), e);
      }
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, DUTY_FAILED, e);
      shards.outages().failed(shards.ofSharedKeys(), e);
    } finally {
      runAgain(duty, run + 1, next);
    }
  }

  /** Retries until the duty is scheduled: otherwise it would never run again. */
  private void runAgain(Duty duty, long run, Duration delay) {
    while (!threads.isShutdown()) {
      try {
        // With jitter, so that servers that were started together do not run at the same time.
        double jitter = ThreadLocalRandom.current().nextDouble(0.9, 1.1);
        schedule(duty, run, Duration.ofNanos((long) (delay.toNanos() * jitter)));
        return;
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, NOT_SCHEDULED, e);
        // The threads that exist continue without starting others.
        threads.setCorePoolSize(Math.max(1, threads.getPoolSize()));
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** Replaces threads that ended for lack of memory. To be called periodically. */
  public void catchUp() {
    threads.setCorePoolSize(THREADS);
    threads.prestartAllCoreThreads();
  }

  /** Waits until running duties have ended. */
  public void stop(Duration most) {
    DaemonThreadPools.shutDown(threads, most);
  }
}
