package io.asynq4j.spring.boot;

import io.asynq4j.redis.RedisConfig;

/** Where Redis is, if {@code asynq4j.redis.url} is not set. */
@FunctionalInterface
interface RedisConfigSource {

  RedisConfig.Builder address();
}
