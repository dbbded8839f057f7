package io.asynq4j.internal.redis.connection;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A borrowed connection of a pool. It returns to the pool only if no part of a command or reply is
 * left on it. For one thread.
 */
record PooledConnection(Connection connection) implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PooledConnection.class);

  /**
   * Uses the connection. Any result but a reply of the right server, including errors of this
   * process, marks it as broken.
   */
  <T extends @Nullable Object> T use(Function<Connection, T> exchange) {
    boolean answered = false;
    try {
      T answer = exchange.apply(connection);
      answered = true;
      return answer;
    } catch (JedisDataException e) {
      // A demoted primary, or a node that left its cluster, must not be used again.
      answered = !RedisError.of(e).isForAnotherServer();
      throw e;
    } finally {
      if (!answered) {
        connection.setBroken();
      }
    }
  }

  /**
   * Never throws, since the reply has already arrived. The pool replaces a broken connection for
   * waiting threads, and a failure to do so surfaces here.
   */
  @Override
  public void close() {
    try {
      connection.close();
    } catch (JedisException e) {
      log.debug("a connection could not be returned to its pool", e);
    }
  }
}
