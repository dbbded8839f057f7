package io.asynq4j.spring.boot;

import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Adds the endpoint {@code asynq} to the actuator, if that is on the class path. */
@AutoConfiguration(after = AsynqAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "asynq4j.enabled", matchIfMissing = true)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(RedisConnection.class)
public final class AsynqEndpointAutoConfiguration {

  @Bean
  @ConditionalOnAvailableEndpoint
  @ConditionalOnMissingBean
  AsynqEndpoint asynqEndpoint(Inspector inspector) {
    return new AsynqEndpoint(inspector);
  }
}
