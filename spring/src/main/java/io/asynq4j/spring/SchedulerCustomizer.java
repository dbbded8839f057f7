package io.asynq4j.spring;

import io.asynq4j.schedule.Scheduler;

/**
 * A bean that changes settings of the {@code Scheduler} of an application context, or adds entries
 * or a source of entries. Customizers are called in the order of {@code @Order}.
 */
@FunctionalInterface
public interface SchedulerCustomizer {

  void customize(Scheduler.Builder scheduler);
}
