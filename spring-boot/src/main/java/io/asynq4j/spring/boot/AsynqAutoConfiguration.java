package io.asynq4j.spring.boot;

import io.asynq4j.client.TaskClient;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.spring.AsynqConfiguration;
import io.asynq4j.spring.AsynqSettings;
import io.asynq4j.spring.SchedulerCustomizer;
import io.asynq4j.spring.TaskServerDefinition;
import io.asynq4j.spring.TaskServers;
import java.util.Optional;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;

/**
 * Configures the connection, a client, and the servers and schedules of the application's beans.
 * Each bean is replaced by one of the same type in the application.
 */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration",
      "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration"
    })
@ConditionalOnBooleanProperty(name = "asynq4j.enabled", matchIfMissing = true)
@EnableConfigurationProperties(AsynqProperties.class)
@Import(AsynqConfiguration.class)
@ImportRuntimeHints(AsynqRuntimeHints.class)
public final class AsynqAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  PayloadCodec asynqPayloadCodec(AsynqProperties properties, ListableBeanFactory beans) {
    return PayloadCodecFactory.create(properties.codec(), beans);
  }

  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  RedisConnection asynqRedisConnection(
      AsynqProperties properties,
      Environment environment,
      PayloadCodec codec,
      ObjectProvider<RedisConfigResolver.Embedded> embedded,
      ObjectProvider<RedisConfigResolver.ServiceConnection> serviceConnection,
      ObjectProvider<SslBundles> bundles,
      ObjectProvider<RedisConfigCustomizer> customizers) {
    return new RedisConfigResolver(properties, environment, embedded, serviceConnection, bundles)
        .open(codec, customizers);
  }

  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  TaskClient asynqTaskClient(
      AsynqProperties properties,
      RedisConnection redis,
      ObjectProvider<TaskClientCustomizer> customizers) {
    TaskClient.Builder builder = TaskClient.builder(redis);
    AsynqProperties.Client client = properties.client();
    try {
      builder
          .maxPayload(Math.toIntExact(client.maxPayload().toBytes()))
          .durability(client.durability())
          .replicas(client.replicas())
          .confirmWithin(client.confirmWithin())
          .maxWaiting(client.maxWaiting());
      Optional.ofNullable(client.maxCalls()).ifPresent(builder::maxCalls);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new InvalidAsynqSettingException(
          "a property asynq4j.client.* cannot be used: " + e.getMessage(), "correct its value");
    }
    customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
    return builder.build();
  }

  @Bean
  @ConditionalOnMissingBean
  AsynqSettings asynqSettings(AsynqProperties properties) {
    AsynqProperties.Scheduler scheduler = properties.scheduler();
    return AsynqSettings.defaults()
        .servers(properties.server().enabled())
        .scheduler(scheduler.enabled())
        .schedulerPhase(scheduler.phase())
        .schedulerAutoStartup(scheduler.autoStartup());
  }

  @Bean
  TaskServerDefinition.Source asynqServersOfProperties(
      AsynqProperties properties,
      Environment environment,
      ObjectProvider<TaskServerDefinition> definitions) {
    return new ServersOfProperties(properties, environment, definitions);
  }

  @Bean
  KeepAlive asynqKeepAlive(TaskServers servers, BeanFactory beans) {
    return new KeepAlive(servers, beans);
  }

  /** A new builder each time: tests build a scheduler of their own with these settings. */
  @Bean
  @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
  Scheduler.Builder asynqSchedulerBuilder(
      AsynqProperties properties,
      RedisConnection redis,
      ObjectProvider<SchedulerCustomizer> customizers) {
    Scheduler.Builder builder = Scheduler.builder(redis);
    AsynqProperties.Scheduler scheduler = properties.scheduler();
    builder
        .grace(scheduler.grace())
        .heartbeat(scheduler.heartbeat())
        .leaderLease(scheduler.leaderLease())
        .sourceInterval(scheduler.sourceInterval());
    Optional.ofNullable(scheduler.instantHeader()).ifPresent(builder::instantHeader);
    if (!scheduler.leader()) {
      builder.withoutLeader();
    }
    customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
    return builder;
  }

  /** Lazy, so that an application without schedules runs no scheduler. */
  @Bean(destroyMethod = "close")
  @Lazy
  @ConditionalOnMissingBean
  Scheduler asynqScheduler(Scheduler.Builder asynqSchedulerBuilder) {
    try {
      return asynqSchedulerBuilder.build();
    } catch (IllegalArgumentException e) {
      throw new InvalidAsynqSettingException(
          "a property asynq4j.scheduler.* or a SchedulerCustomizer cannot be used: "
              + e.getMessage(),
          "correct its value");
    }
  }
}
