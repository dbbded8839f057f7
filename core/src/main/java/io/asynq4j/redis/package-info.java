/**
 * Connections to Redis.
 *
 * <p>Start with {@link io.asynq4j.redis.RedisConnection}: one per process, shared by clients,
 * servers, schedulers and inspectors. {@link io.asynq4j.redis.RedisConfig} has its settings.
 */
@NullMarked
package io.asynq4j.redis;

import org.jspecify.annotations.NullMarked;
