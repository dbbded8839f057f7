package io.asynq4j.internal.redis.connection;

import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A borrowed connection of a pool. It returns to the pool only if no part of a command or reply is
 * left on it. For one thread.
 */
final class PooledConnection implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PooledConnection.class);

  private final Connection connection;

  PooledConnection(Connection connection) {
    this.connection = connection;
  }

  /**
   * Waits for a connection of a pool. A pool that is closed meanwhile interrupts its waiting
   * threads. This method reports that as a connection failure and clears the interrupt, which no
   * caller has requested.
   */
  static Connection from(ConnectionPool pool) {
    try {
      return pool.getResource();
    } catch (JedisException e) {
      if (pool.isClosed() && CauseFinder.find(InterruptedException.class, e) != null) {
        throw closedMeanwhile();
      }
      throw e;
    }
  }

  static JedisConnectionException closedMeanwhile() {
    return new JedisConnectionException("the connection pool was closed while waiting");
  }

  Connection connection() {
    return connection;
  }

  /**
   * Uses the connection. Any result but a reply, including errors of this process, marks it as
   * broken.
   */
  <T> T use(Supplier<T> exchange) {
    boolean answered = false;
    try {
      T answer = exchange.get();
      answered = true;
      return answer;
    } catch (JedisDataException e) {
      answered = true;
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
