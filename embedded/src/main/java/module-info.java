/** A real Redis as a child process. */
module io.asynq4j.embedded {
  requires redis.clients.jedis;
  requires static org.jspecify;

  exports io.asynq4j.embedded;
}
