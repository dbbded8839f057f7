package io.asynq4j.spring.boot;

import io.asynq4j.redis.RedisConfig;

/**
 * A bean that changes the connection to Redis after the properties {@code asynq4j.redis.*} are
 * applied. Customizers are called in the order of {@code @Order}.
 */
@FunctionalInterface
public interface RedisConfigCustomizer {

  void customize(RedisConfig.Builder redis);
}
