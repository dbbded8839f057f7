package io.asynq4j.internal.schedule;

import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.internal.time.TimeMath;
import io.asynq4j.schedule.ScheduleEntry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads and lifecycle of a scheduler: new, running, stopped. */
public final class SchedulerLifecycle {

  private static final Logger log = LoggerFactory.getLogger(SchedulerLifecycle.class);

  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
  private static final long STOP_MILLIS = 10_000;

  private final SchedulerLoop loop;
  private final Broker broker;
  private final Clock clock;
  private final @Nullable ScheduleSourceReader reader;
  private final Thread loopThread = daemon(this::runLoop, "asynq-scheduler");
  private final Thread sourceThread = daemon(this::readSource, "asynq-schedule-source");
  private final SchedulerWakeup wakeUp;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private boolean started;
  private volatile Broker.@Nullable Registration beforeClose;

  public SchedulerLifecycle(
      SchedulerConfig config,
      ScheduleEntryRegistry entries,
      SchedulerLoop loop,
      SchedulerWakeup wakeUp,
      Broker broker) {
    this.loop = loop;
    this.wakeUp = wakeUp;
    this.broker = broker;
    this.clock = broker.clock();
    Callable<List<ScheduleEntry>> source = config.source();
    this.reader =
        source == null
            ? null
            : new ScheduleSourceReader(source, config.sourceInterval(), entries, this::wakeUp);
  }

  private static Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  public synchronized void start() {
    if (started || isStopping()) {
      throw new IllegalStateException(
          "a scheduler can be started only once; build a new one to start again");
    }
    beforeClose = broker.beforeClose(this::stopBeforeClose);
    started = true;
    loopThread.start();
    if (reader != null) {
      sourceThread.start();
    }
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

  private boolean isStopping() {
    return stopping.getCount() == 0;
  }

  private void runLoop() {
    while (!isStopping()) {
      Duration pause = AFTER_FAILURE;
      try {
        Instant next = loop.round();
        pause = Duration.between(clock.instant(), next);
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, "a round of the scheduler failed; it continues with the next round", e);
      }
      sleep(pause);
    }
    loop.end();
    Broker.Registration registration = beforeClose;
    if (registration != null) {
      registration.close();
    }
    stopped.countDown();
  }

  private void sleep(Duration pause) {
    try {
      // A fraction of a millisecond longer, so that the entry is due by then.
      wakeUp.await(pause.plusNanos(100_000));
    } catch (InterruptedException e) {
      // Only code outside of this library interrupts this thread, so the process is ending.
      Thread.currentThread().interrupt();
      stopping.countDown();
    }
  }

  private void readSource() {
    ScheduleSourceReader current = reader;
    try {
      Duration pause = current == null ? Duration.ZERO : current.read();
      while (current != null && !stopping.await(TimeMath.nanos(pause), TimeUnit.NANOSECONDS)) {
        pause = current.read();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public void stop() {
    synchronized (this) {
      stopping.countDown();
      if (!started) {
        stopped.countDown();
        return;
      }
    }
    wakeUp();
    sourceThread.interrupt();
    try {
      if (Thread.currentThread() != loopThread
          && !stopped.await(STOP_MILLIS, TimeUnit.MILLISECONDS)) {
        log.warn(
            "the scheduler has not stopped within {} ms; its thread continues in the background",
            STOP_MILLIS);
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
      stopped.await();
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is already shutting down.
      stop();
    } catch (InterruptedException e) {
      stop();
      Thread.currentThread().interrupt();
    }
  }

  /** Runs one round and the rounds that its calls cause, for tests that set the time. */
  public Instant round() {
    Instant next = loop.round();
    while (loop.isBusy() && !isStopping()) {
      sleep(AFTER_FAILURE);
      next = loop.round();
    }
    return next;
  }

  public void readSourceOnce() throws InterruptedException {
    ScheduleSourceReader current = reader;
    if (current != null) {
      current.read();
    }
  }

  public void endRounds() {
    loop.end();
  }
}
