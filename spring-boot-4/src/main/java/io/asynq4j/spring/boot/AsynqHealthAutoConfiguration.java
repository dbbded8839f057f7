package io.asynq4j.spring.boot;

import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.spring.TaskServers;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Adds the health of Redis and of the queues to the actuator, if that is on the class path. */
@AutoConfiguration(after = AsynqAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "asynq4j.enabled", matchIfMissing = true)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(RedisConnection.class)
public final class AsynqHealthAutoConfiguration {

  @Bean
  @ConditionalOnEnabledHealthIndicator("asynq4j")
  @ConditionalOnMissingBean(name = "asynq4jHealthIndicator")
  HealthIndicator asynq4jHealthIndicator(
      RedisConnection redis,
      ObjectProvider<Inspector> inspector,
      ObjectProvider<TaskServers> servers) {
    return new AsynqHealthIndicator(new HealthDetails(redis, inspector, servers));
  }
}
