/**
 * Auto-configuration for Spring Boot: connection, clients, servers and schedules from the
 * properties {@code asynq4j.*}, with actuator, metrics and dashboard if they are on the class path.
 *
 * <p>Start with docs/guides/spring-boot.md. To change what properties cannot, define a bean of type
 * {@link io.asynq4j.spring.boot.RedisConfigCustomizer}, {@link
 * io.asynq4j.spring.boot.TaskClientCustomizer}, {@link io.asynq4j.spring.TaskServerCustomizer} or
 * {@link io.asynq4j.spring.SchedulerCustomizer}.
 */
@NullMarked
package io.asynq4j.spring.boot;

import org.jspecify.annotations.NullMarked;
