package io.asynq4j.spring;

import io.asynq4j.server.TaskServerBuilder;

/**
 * A bean that changes settings of the servers of an application context. Customizers are called in
 * the order of {@code @Order}, after the settings of the {@link TaskServerDefinition}, each time a
 * server is built.
 *
 * <pre>{@code
 * @Bean
 * TaskServerCustomizer metrics(MeterRegistry registry) {
 *   ServerMetrics metrics = ServerMetrics.create(registry);
 *   return (name, server) -> server.listener(metrics);
 * }
 * }</pre>
 */
@FunctionalInterface
public interface TaskServerCustomizer {

  /**
   * Changes settings of a server, except for its handlers.
   *
   * @param name the name in its definition
   */
  void customize(String name, TaskServerBuilder server);
}
