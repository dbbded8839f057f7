package io.asynq4j.internal.redis.connection;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
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

/** Connects Jedis to a local Redis through its Unix domain socket. Thread-safe. */
final class UnixSocketFactory implements JedisSocketFactory {

  private final Path path;
  private final int connectTimeoutMillis;
  private final int readTimeoutMillis;

  /** Uses the timeouts of the configuration; as everywhere in Jedis, 0 means none. */
  UnixSocketFactory(Path path, JedisClientConfig config) {
    this.path = requireNonNull(path, "path");
    this.connectTimeoutMillis = config.getConnectionTimeoutMillis();
    this.readTimeoutMillis = config.getSocketTimeoutMillis();
  }

  @Override
  public Socket createSocket() {
    // In an interrupted thread the channel would be closed at once, unlike a TCP connection.
    boolean interrupted = Thread.interrupted();
    try {
      Socket socket = new UnixSocket(connect());
      socket.setSoTimeout(readTimeoutMillis);
      return socket;
    } catch (IOException | UnsupportedOperationException e) {
      throw new JedisConnectionException(
          "Cannot connect to the Redis socket "
              + path
              + " ("
              + e.getMessage()
              + "): check that Redis runs with \"unixsocket "
              + path
              + "\" and that this user may read and write it",
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
    if (connectTimeoutMillis > 0) {
      connected = connected.orTimeout(connectTimeoutMillis, TimeUnit.MILLISECONDS);
    }
    CompletableFuture<@Nullable Void> unused =
        connected.whenComplete(
            (done, timeout) -> {
              if (timeout != null) {
                close(channel);
              }
            });
    try {
      channel.connect(UnixDomainSocketAddress.of(path));
    } catch (IOException e) {
      close(channel);
      throw connected.complete(null) ? e : timedOut();
    }
    if (!connected.complete(null)) {
      throw timedOut();
    }
    return channel;
  }

  private SocketTimeoutException timedOut() {
    return new SocketTimeoutException("no reply within " + connectTimeoutMillis + " ms");
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return "UnixSocketFactory[" + path + "]";
  }
}
