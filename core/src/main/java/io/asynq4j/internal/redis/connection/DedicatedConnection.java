package io.asynq4j.internal.redis.connection;

import java.io.IOException;
import java.net.Socket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;

/**
 * A connection outside of any pool, on which one thread waits for messages until another thread
 * closes it. Jedis supports a forced close since version 7 only, and its disconnect may wait for
 * the peer.
 */
public final class DedicatedConnection extends Connection {

  private static final Logger log = LoggerFactory.getLogger(DedicatedConnection.class);

  private final Sockets sockets;

  /** Connects. */
  DedicatedConnection(JedisSocketFactory factory, JedisClientConfig config) {
    this(new Sockets(factory), config);
  }

  private DedicatedConnection(Sockets sockets, JedisClientConfig config) {
    super(sockets, config);
    this.sockets = sockets;
  }

  /** Closes the connection at once, from any thread; a blocked read fails with an exception. */
  public void cut() {
    setBroken();
    Socket socket = sockets.latest;
    if (socket != null) {
      try {
        socket.close();
      } catch (IOException e) {
        log.debug("closing a connection", e);
      }
    }
  }

  /** Keeps a reference to the socket, since Jedis does not expose it and reconnects by itself. */
  private static final class Sockets implements JedisSocketFactory {
    private final JedisSocketFactory factory;
    private volatile @Nullable Socket latest;

    Sockets(JedisSocketFactory factory) {
      this.factory = factory;
    }

    @Override
    public Socket createSocket() {
      Socket socket = factory.createSocket();
      latest = socket;
      return socket;
    }
  }
}
