package io.asynq4j.spring.boot.test;

import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.spring.AsynqSettings;
import io.asynq4j.spring.TaskServerDefinition;
import io.asynq4j.testing.AsynqTestEnvironment;
import io.asynq4j.testing.TestQueues;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** The beans of {@link AsynqSliceTest}. They replace the connection of the application. */
@Configuration(proxyBeanMethods = false)
class AsynqSliceConfiguration {

  @Bean(destroyMethod = "close")
  AsynqTestEnvironment asynqTestEnvironment(ObjectProvider<PayloadCodec> codec) {
    return AsynqTestEnvironment.builder()
        .codec(codec.getIfUnique(PayloadCodec::json))
        .hint(TransactionHint::text)
        .start();
  }

  /** Closed by the environment. */
  @Bean(destroyMethod = "")
  @Primary
  RedisConnection asynqTestRedisConnection(AsynqTestEnvironment environment) {
    return environment.redis();
  }

  @Bean
  TestQueues asynqTestQueues(AsynqTestEnvironment environment) {
    return environment.tasks();
  }

  /** Keeps servers and the scheduler from running tasks while a test looks at them. */
  @Bean
  static BeanPostProcessor asynqTestStartup() {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof AsynqSettings settings) {
          return settings.schedulerAutoStartup(false);
        }
        if (bean instanceof TaskServerDefinition definition) {
          return definition.autoStartup(false);
        }
        if (bean instanceof TaskServerDefinition.Source source) {
          return (TaskServerDefinition.Source)
              () -> source.definitions().stream().map(each -> each.autoStartup(false)).toList();
        }
        return bean;
      }
    };
  }
}
