/** A test kit for applications that use asynq4j. */
module io.asynq4j.testing {
  requires transitive io.asynq4j;
  requires io.asynq4j.embedded;
  requires org.opentest4j;
  requires redis.clients.jedis;
  requires static transitive org.jspecify;
  requires static org.junit.jupiter.api;

  exports io.asynq4j.testing;
}
