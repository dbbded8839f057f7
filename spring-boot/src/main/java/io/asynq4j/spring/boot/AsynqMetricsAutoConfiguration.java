package io.asynq4j.spring.boot;

import io.asynq4j.inspect.Inspector;
import io.asynq4j.metrics.QueueMetrics;
import io.asynq4j.metrics.ServerMetrics;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.spring.TaskServerCustomizer;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Measures servers and queues, if there is a {@code MeterRegistry}. */
@AutoConfiguration(
    after = AsynqAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnBooleanProperty(name = "asynq4j.enabled", matchIfMissing = true)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, RedisConnection.class})
public final class AsynqMetricsAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnBooleanProperty(name = "asynq4j.metrics.servers", matchIfMissing = true)
  ServerMetrics asynqServerMetrics(MeterRegistry registry) {
    return ServerMetrics.create(registry);
  }

  @Bean
  @ConditionalOnBean(ServerMetrics.class)
  TaskServerCustomizer asynqServerMetricsCustomizer(ServerMetrics metrics) {
    return (name, server) -> server.listener(metrics);
  }

  /** Spring Boot binds it to the registry. */
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  @ConditionalOnBooleanProperty(name = "asynq4j.metrics.queues", matchIfMissing = true)
  QueueMetrics asynqQueueMetrics(Inspector inspector, AsynqProperties properties) {
    AsynqProperties.Metrics metrics = properties.metrics();
    try {
      return QueueMetrics.builder(inspector)
          .every(metrics.interval())
          .maxQueues(metrics.maxQueues())
          .legacyNames(metrics.legacyNames())
          .build();
    } catch (IllegalArgumentException e) {
      throw new InvalidAsynqSettingException(
          "a property asynq4j.metrics.* cannot be used: " + e.getMessage(), "correct its value");
    }
  }
}
