package io.asynq4j.spring.boot;

import io.asynq4j.client.TaskClient;

/**
 * A bean that changes the {@code TaskClient} after the properties {@code asynq4j.client.*} are
 * applied. Customizers are called in the order of {@code @Order}.
 */
@FunctionalInterface
public interface TaskClientCustomizer {

  void customize(TaskClient.Builder client);
}
