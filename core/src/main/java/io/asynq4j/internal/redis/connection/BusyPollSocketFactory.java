package io.asynq4j.internal.redis.connection;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.IOUtils;

/**
 * Creates TCP sockets for Jedis that poll a few times for a reply before they block. A nearby Redis
 * answers within tens of microseconds; putting the thread and the processor to sleep and waking
 * them takes longer than that.
 *
 * <p>The number of polling threads leaves one processor free, each thread yields between two polls,
 * and a connection with slow replies soon stops polling. Thread-safe.
 */
final class BusyPollSocketFactory implements JedisSocketFactory {

  private static final long LOOK_FOR_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
  private static final int MOST_READS_WITHOUT = 64;

  private final HostAndPort address;
  private final JedisClientConfig config;
  private final Semaphore lookers = new Semaphore(Runtime.getRuntime().availableProcessors() - 1);

  /**
   * Returns a plain factory for TLS: with encryption, only a read shows whether a reply has
   * arrived.
   */
  static JedisSocketFactory to(HostAndPort address, JedisClientConfig config) {
    return config.isSsl()
        ? new DefaultJedisSocketFactory(address, config)
        : new BusyPollSocketFactory(address, config);
  }

  private BusyPollSocketFactory(HostAndPort address, JedisClientConfig config) {
    this.address = address;
    this.config = config;
  }

  @Override
  public Socket createSocket() {
    JedisConnectionException failure =
        new JedisConnectionException("Failed to connect to " + address);
    try {
      for (InetAddress each : InetAddress.getAllByName(address.getHost())) {
        EagerSocket socket = new EagerSocket();
        try {
          socket.setKeepAlive(true);
          socket.setTcpNoDelay(true);
          socket.connect(
              new InetSocketAddress(each, address.getPort()), config.getConnectionTimeoutMillis());
          socket.setSoTimeout(config.getSocketTimeoutMillis());
          return socket;
        } catch (IOException e) {
          failure.addSuppressed(e);
          IOUtils.closeQuietly(socket);
        }
      }
    } catch (UnknownHostException e) {
      failure.initCause(e);
    }
    throw failure;
  }

  private final class EagerSocket extends Socket {
    @Override
    public InputStream getInputStream() throws IOException {
      return new EagerInput(super.getInputStream());
    }
  }

  /** Input of one connection; used by one thread at a time. */
  private final class EagerInput extends FilterInputStream {
    private int readsWithout;
    private int readsWithoutLeft;

    EagerInput(InputStream in) {
      super(in);
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      if (readsWithoutLeft > 0) {
        readsWithoutLeft--;
      } else if (lookers.tryAcquire()) {
        try {
          readsWithout = isThereSoon() ? 0 : Math.min(MOST_READS_WITHOUT, 2 * readsWithout + 1);
          readsWithoutLeft = readsWithout;
        } finally {
          lookers.release();
        }
      }
      return super.read(buffer, offset, length);
    }

    @SuppressWarnings(
        "ThreadPriorityCheck") // a scheduling hint only; correctness does not depend on it
    private boolean isThereSoon() throws IOException {
      long began = System.nanoTime();
      while (in.available() == 0) {
        if (System.nanoTime() - began > LOOK_FOR_NANOS) {
          return false;
        }
        Thread.yield();
      }
      return true;
    }
  }
}
