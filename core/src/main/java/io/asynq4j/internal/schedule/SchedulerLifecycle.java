package io.asynq4j.internal.schedule;

import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.internal.time.TimeMath;
import io.asynq4j.schedule.Scheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads and lifecycle of a scheduler: new, running, stopped. */
public final class SchedulerLifecycle {

  private static final Logger log = LoggerFactory.getLogger(SchedulerLifecycle.class);

  private static final String ROUND_FAILED =
      SafeLog.text("a round of the scheduler failed; it continues with the next round");
  private static final String SOURCE_FAILED =
      SafeLog.text("the source of schedule entries failed; its previous entries continue to fire");

  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
  private static final long STOP_MILLIS = 10_000;

  /** Delay after the source has failed, unless its interval is shorter. */
  private static final Duration AFTER_SOURCE_FAILURE = Duration.ofSeconds(10);

  private static final AtomicReference<@Nullable Function<Scheduler, SchedulerLifecycle>> READER =
      new AtomicReference<>();

  private final SchedulerConfig config;
  private final ScheduleEntryRegistry entries;
  final SchedulerLoop loop;
  private final Broker broker;
  private final Thread loopThread =
      DaemonThreadPools.factory("asynq-scheduler").newThread(this::runLoop);

  /** Separate, since a source may be slow, and entries must fire meanwhile. */
  private final Thread sourceThread =
      DaemonThreadPools.factory("asynq-schedule-source").newThread(this::readSource);

  final WakeupSignal wakeUp = new WakeupSignal();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private volatile Broker.@Nullable Registration beforeClose;

  /**
   * @param followClock synchronizes the clock of the broker
   */
  public SchedulerLifecycle(
      SchedulerConfig config,
      ScheduleEntryRegistry entries,
      Broker broker,
      String schedulerId,
      Runnable followClock) {
    this.config = config;
    this.entries = entries;
    this.broker = broker;
    this.loop = new SchedulerLoop(config, entries, broker, schedulerId, wakeUp, followClock);
  }

  public synchronized void start() {
    if (loopThread.getState() != Thread.State.NEW || isStopping()) {
      throw new IllegalStateException(
          "the scheduler runs already, or is still stopping; stop it before you start it again");
    }
    beforeClose = broker.beforeClose(this::stopBeforeClose);
    loopThread.start();
    if (config.source() != null) {
      sourceThread.start();
    }
  }

  /** Called by the scheduler: the way from the public type to this one, for the test kit. */
  public static void readBy(Function<Scheduler, SchedulerLifecycle> reader) {
    READER.set(reader);
  }

  public static SchedulerLifecycle of(Scheduler scheduler) {
    return Objects.requireNonNull(READER.get()).apply(scheduler);
  }

  /**
   * Does what is due now on the calling thread, instead of the threads of the scheduler. Returns
   * when an entry fires next; empty if none does.
   *
   * @throws IllegalStateException if the scheduler was started
   */
  public synchronized Optional<Instant> step() throws InterruptedException {
    if (loopThread.getState() != Thread.State.NEW || isStopping()) {
      throw new IllegalStateException(
          "the scheduler was started, so its own threads fire its entries; build one without starting it");
    }
    if (config.source() != null) {
      readSourceOnce();
    }
    return loop.step();
  }

  private void stopBeforeClose() {
    if (!isStopping()) {
      log.error(
          "the Redis connection is being closed while a scheduler uses it, so the scheduler stops"
              + " first; stop schedulers before you close their connection");
    }
    stop();
  }

  public void wakeUp() {
    wakeUp.raise();
  }

  /** Returns whether the scheduler was stopped, so that another lifecycle may begin. */
  public boolean isStopped() {
    return isStopping() && !loopThread.isAlive();
  }

  public boolean isLeading() {
    return loop.isLeading();
  }

  private boolean isStopping() {
    return stopping.getCount() == 0;
  }

  private void runLoop() {
    while (!isStopping()) {
      Duration pause = AFTER_FAILURE;
      try {
        Instant next = loop.round();
        pause = Duration.between(broker.clock().instant(), next);
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, ROUND_FAILED, e);
      }
      // A fraction of a millisecond longer, so that the entry is due by then.
      wakeUp.await(TimeMath.nanos(pause.plusNanos(100_000)));
      if (Thread.currentThread().isInterrupted()) {
        // Only code outside of this library interrupts this thread, so the process is ending.
        stopping.countDown();
      }
    }
    loop.end();
    Objects.requireNonNull(beforeClose).close();
  }

  private void readSource() {
    try {
      Duration pause = readSourceOnce();
      while (!stopping.await(pause.toNanos(), TimeUnit.NANOSECONDS)) {
        pause = readSourceOnce();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the delay until the next read. */
  Duration readSourceOnce() throws InterruptedException {
    try {
      entries.replaceSourced(List.copyOf(Objects.requireNonNull(config.source()).call()));
      wakeUp();
      return config.sourceInterval();
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception | Error e) {
      SafeLog.error(log, SOURCE_FAILED, e);
      return TimeMath.min(config.sourceInterval(), AFTER_SOURCE_FAILURE);
    }
  }

  public void stop() {
    synchronized (this) {
      stopping.countDown();
    }
    wakeUp();
    sourceThread.interrupt();
    try {
      // A listener may stop the scheduler that calls it.
      if (Thread.currentThread() != loopThread) {
        loopThread.join(STOP_MILLIS);
        if (loopThread.isAlive()) {
          log.warn(
              "the scheduler has not stopped within {} ms; its thread continues in the background",
              STOP_MILLIS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public void run() {
    start();
    Thread hook = new Thread(this::stop, "asynq-scheduler-stop");
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      loopThread.join();
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is already shutting down.
      stop();
    } catch (InterruptedException e) {
      stop();
      Thread.currentThread().interrupt();
    }
  }
}
