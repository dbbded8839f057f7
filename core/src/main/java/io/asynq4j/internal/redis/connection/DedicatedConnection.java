package io.asynq4j.internal.redis.connection;

import java.net.Socket;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.util.IOUtils;

/**
 * A connection outside of any pool, on which one thread waits for messages until another thread
 * closes it. Jedis supports a forced close since version 7 only, and its disconnect may wait for
 * the peer.
 */
public final class DedicatedConnection extends Connection {

  /** The last socket, since Jedis does not expose it and reconnects by itself. */
  private final AtomicReference<@Nullable Socket> latest;

  /** Connects. */
  DedicatedConnection(JedisSocketFactory factory, JedisClientConfig config) {
    this(factory, config, new AtomicReference<>());
  }

  private DedicatedConnection(
      JedisSocketFactory factory,
      JedisClientConfig config,
      AtomicReference<@Nullable Socket> latest) {
    super(
        () -> {
          Socket socket = factory.createSocket();
          latest.set(socket);
          return socket;
        },
        config);
    this.latest = latest;
  }

  /** Closes the connection at once, from any thread; a blocked read fails with an exception. */
  public void cut() {
    setBroken();
    IOUtils.closeQuietly(latest.get());
  }
}
