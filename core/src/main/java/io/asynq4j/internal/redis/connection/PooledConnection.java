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
 * A connection of a pool while somebody uses it. It goes back to the pool only if it is certain
 * that nothing of a command or an answer is left on it. For one thread.
 */
final class PooledConnection implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PooledConnection.class);

  private final Connection connection;

  PooledConnection(Connection connection) {
    this.connection = connection;
  }

  /**
   * Waits for a connection of a pool. A pool that is closed meanwhile interrupts those who wait for
   * it, which is nobody's wish: here it is a failure to connect, and leaves no interrupt behind.
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
    return new JedisConnectionException("its connections were closed meanwhile");
  }

  Connection connection() {
    return connection;
  }

  /**
   * Uses the connection. After anything but an answer, errors of this process too, it is broken.
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
   * Never throws: what was answered is answered. In place of a broken connection the pool opens one
   * for those who wait, and where that fails, it fails here.
   */
  @Override
  public void close() {
    try {
      connection.close();
    } catch (JedisException e) {
      log.debug("a connection could not be given back", e);
    }
  }
}
