/** A distributed task queue on Redis that speaks asynq's protocol. */
@SuppressWarnings("module") // The modules of the qualified exports are compiled later.
module io.asynq4j {
  requires org.apache.commons.pool2;
  requires org.slf4j;
  requires redis.clients.jedis;
  requires static jdk.unsupported;
  requires static micrometer.core;
  requires static com.fasterxml.jackson.databind;
  requires static tools.jackson.databind;
  requires static transitive org.jspecify;

  exports io.asynq4j;
  exports io.asynq4j.client;
  exports io.asynq4j.codec;
  exports io.asynq4j.definition;
  exports io.asynq4j.handler;
  exports io.asynq4j.inspect;
  exports io.asynq4j.lease;
  exports io.asynq4j.metrics;
  exports io.asynq4j.redis;
  exports io.asynq4j.schedule;
  exports io.asynq4j.server;

  // Not an API: threads, definitions, outcomes, texts and times that all modules of asynq4j treat
  // alike.
  exports io.asynq4j.internal.broker to
      io.asynq4j.testing;
  exports io.asynq4j.internal.broker.rules to
      io.asynq4j.testing;
  exports io.asynq4j.internal.concurrent to
      io.asynq4j.service;
  exports io.asynq4j.internal.definition to
      io.asynq4j.service;
  exports io.asynq4j.internal.outcome to
      io.asynq4j.service,
      io.asynq4j.testing;
  exports io.asynq4j.internal.redis.clock to
      io.asynq4j.testing;
  exports io.asynq4j.internal.redis.connection to
      io.asynq4j.testing;
  exports io.asynq4j.internal.redis.script to
      io.asynq4j.testing;
  exports io.asynq4j.internal.redis.store to
      io.asynq4j.testing;
  exports io.asynq4j.internal.schedule to
      io.asynq4j.testing;
  exports io.asynq4j.internal.server.attempt to
      io.asynq4j.testing;
  exports io.asynq4j.internal.server.config to
      io.asynq4j.testing;
  exports io.asynq4j.internal.server.duty to
      io.asynq4j.testing;
  exports io.asynq4j.internal.server.shard to
      io.asynq4j.testing;
  exports io.asynq4j.internal.text to
      io.asynq4j.cli,
      io.asynq4j.dashboard,
      io.asynq4j.http,
      io.asynq4j.service,
      io.asynq4j.spring;
  exports io.asynq4j.internal.time to
      io.asynq4j.service,
      io.asynq4j.testing;
}
