package io.asynq4j.spring.boot;

/** Where the embedded Redis is. Exists only if it was started. */
@FunctionalInterface
interface EmbeddedRedisAddress {

  String uri();
}
