package io.asynq4j.spring.internal;

import io.asynq4j.schedule.Scheduler;
import io.asynq4j.spring.AsynqSettings;
import org.springframework.context.SmartLifecycle;

/** Starts and stops the scheduler with the context. Thread-safe. */
final class SchedulerLifecycle implements SmartLifecycle {

  private final Scheduler scheduler;
  private final AsynqSettings settings;
  private final ContextClassLoader loader;
  private boolean running;

  SchedulerLifecycle(Scheduler scheduler, AsynqSettings settings, ContextClassLoader loader) {
    this.scheduler = scheduler;
    this.settings = settings;
    this.loader = loader;
  }

  @Override
  public synchronized void start() {
    if (!running) {
      loader.run(scheduler::start);
      running = true;
    }
  }

  @Override
  public synchronized void stop() {
    if (running) {
      scheduler.stop();
      running = false;
    }
  }

  /** Stops on a separate thread, so that servers stop at the same time. */
  @Override
  public void stop(Runnable callback) {
    Runnable stopping =
        () -> {
          try {
            stop();
          } finally {
            callback.run();
          }
        };
    new Thread(stopping, "asynq-stop-scheduler").start();
  }

  @Override
  public synchronized boolean isRunning() {
    return running;
  }

  @Override
  public boolean isAutoStartup() {
    return settings.isSchedulerAutoStartup();
  }

  @Override
  public int getPhase() {
    return settings.schedulerPhase();
  }
}
