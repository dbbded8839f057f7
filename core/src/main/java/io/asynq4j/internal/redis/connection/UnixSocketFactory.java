package io.asynq4j.internal.redis.connection;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.IOUtils;

/**
 * Connects Jedis to a local Redis through its Unix domain socket. Immutable.
 *
 * @param config its timeouts are used; as everywhere in Jedis, 0 means none
 */
record UnixSocketFactory(Path path, JedisClientConfig config) implements JedisSocketFactory {

  @Override
  public Socket createSocket() {
    // In an interrupted thread the channel would be closed at once, unlike a TCP connection.
    boolean interrupted = Thread.interrupted();
    try {
      Socket socket = new UnixSocket(connect());
      socket.setSoTimeout(config.getSocketTimeoutMillis());
      return socket;
    } catch (IOException | UnsupportedOperationException e) {
      throw new JedisConnectionException(
          ("Cannot connect to the Redis socket %1$s (%2$s): check that Redis runs with"
                  + " \"unixsocket %1$s\" and that this user may read and write it")
              .formatted(path, e.getMessage()),
          e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Connects in blocking mode, because a full backlog makes a non-blocking connect appear
   * successful on Linux. Closes the channel to abort an attempt that takes too long.
   */
  private SocketChannel connect() throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    CompletableFuture<@Nullable Void> connected = new CompletableFuture<>();
    if (config.getConnectionTimeoutMillis() > 0) {
      connected = connected.orTimeout(config.getConnectionTimeoutMillis(), TimeUnit.MILLISECONDS);
    }
    CompletableFuture<@Nullable Void> unused =
        connected.exceptionally(
            timeout -> {
              IOUtils.closeQuietly(channel);
              return null;
            });
    try {
      channel.connect(UnixDomainSocketAddress.of(path));
    } catch (IOException e) {
      IOUtils.closeQuietly(channel);
      throw connected.complete(null) ? e : timedOut();
    }
    if (!connected.complete(null)) {
      throw timedOut();
    }
    return channel;
  }

  private SocketTimeoutException timedOut() {
    return new SocketTimeoutException(
        "no reply within " + config.getConnectionTimeoutMillis() + " ms");
  }

  @Override
  public String toString() {
    return "UnixSocketFactory[" + path + "]";
  }
}
