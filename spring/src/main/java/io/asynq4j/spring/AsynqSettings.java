package io.asynq4j.spring;

import org.springframework.context.SmartLifecycle;

/**
 * An optional bean that decides what an application context runs. Immutable.
 *
 * <pre>{@code
 * @Bean
 * AsynqSettings producersOnly() {
 *   return AsynqSettings.defaults().servers(false).scheduler(false);
 * }
 * }</pre>
 */
public final class AsynqSettings {

  private static final AsynqSettings DEFAULTS =
      new AsynqSettings(true, true, SmartLifecycle.DEFAULT_PHASE, true);

  private final boolean servers;
  private final boolean scheduler;
  private final int schedulerPhase;
  private final boolean schedulerAutoStartup;

  private AsynqSettings(
      boolean servers, boolean scheduler, int schedulerPhase, boolean schedulerAutoStartup) {
    this.servers = servers;
    this.scheduler = scheduler;
    this.schedulerPhase = schedulerPhase;
    this.schedulerAutoStartup = schedulerAutoStartup;
  }

  /** Returns settings that run servers and the scheduler. */
  public static AsynqSettings defaults() {
    return DEFAULTS;
  }

  /**
   * Returns these settings with or without servers. Without, handlers are checked and {@link
   * TaskTypes} knows their types, but nothing is processed. Default: with servers.
   */
  public AsynqSettings servers(boolean enabled) {
    return new AsynqSettings(enabled, scheduler, schedulerPhase, schedulerAutoStartup);
  }

  /**
   * Returns these settings with or without the scheduler. Without, schedules are checked, and their
   * tasks are handled, but nothing is enqueued. Default: with it, if there is any entry.
   */
  public AsynqSettings scheduler(boolean enabled) {
    return new AsynqSettings(servers, enabled, schedulerPhase, schedulerAutoStartup);
  }

  /** Returns these settings with the phase of the scheduler, see {@link SmartLifecycle}. */
  public AsynqSettings schedulerPhase(int phase) {
    return new AsynqSettings(servers, scheduler, phase, schedulerAutoStartup);
  }

  /** Returns these settings with a scheduler that starts with the context or not. Default: true. */
  public AsynqSettings schedulerAutoStartup(boolean startsWithContext) {
    return new AsynqSettings(servers, scheduler, schedulerPhase, startsWithContext);
  }

  /** Returns whether servers are run. */
  public boolean hasServers() {
    return servers;
  }

  /** Returns whether the scheduler is run. */
  public boolean hasScheduler() {
    return scheduler;
  }

  /** Returns the phase of the scheduler. */
  public int schedulerPhase() {
    return schedulerPhase;
  }

  /** Returns whether the scheduler starts with the context. */
  public boolean isSchedulerAutoStartup() {
    return schedulerAutoStartup;
  }
}
