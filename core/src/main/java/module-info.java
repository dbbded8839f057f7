/** A distributed task queue on Redis that speaks asynq's protocol. */
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
  exports io.asynq4j.definition;
  exports io.asynq4j.handler;
  exports io.asynq4j.inspect;
  exports io.asynq4j.lease;
  exports io.asynq4j.metrics;
  exports io.asynq4j.redis;
  exports io.asynq4j.schedule;
  exports io.asynq4j.server;
}
