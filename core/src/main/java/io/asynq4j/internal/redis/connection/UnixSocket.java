package io.asynq4j.internal.redis.connection;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connected Unix domain socket with the interface of {@link Socket}, as far as Jedis uses it.
 *
 * <p>One thread may read while another writes; {@link #close} may be called from any thread and
 * ends both. As with a TCP socket on a platform thread, interrupting a thread has no effect on it.
 */
final class UnixSocket extends Socket {

  private static final int READ_BUFFER = 16 * 1024;

  // The JDK keeps a direct buffer per thread as large as the largest array ever written at once.
  private static final int WRITE_CHUNK = 64 * 1024;

  private final SocketChannel channel;
  private final SocketAddress remoteAddress;
  private final Selector readSelector;
  private final InputStream input = new Input();
  private final OutputStream output = new Output();
  private final ByteBuffer received = ByteBuffer.allocateDirect(READ_BUFFER).limit(0);

  private @Nullable Selector writeSelector;
  private volatile int soTimeoutMillis;
  private volatile boolean closed;

  /** Takes ownership of a connected channel, and closes it if that fails. */
  UnixSocket(SocketChannel connected) throws IOException {
    channel = connected;
    Selector selector = null;
    try {
      remoteAddress = connected.getRemoteAddress();
      connected.configureBlocking(false);
      selector = Selector.open();
      connected.register(selector, SelectionKey.OP_READ);
      readSelector = selector;
    } catch (IOException | RuntimeException e) {
      connected.close();
      if (selector != null) {
        selector.close();
      }
      throw e;
    }
  }

  @Override
  public InputStream getInputStream() throws IOException {
    requireOpen();
    return input;
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    requireOpen();
    return output;
  }

  @Override
  public synchronized void setSoTimeout(int timeoutMillis) throws SocketException {
    requireOpen();
    if (timeoutMillis < 0) {
      throw new IllegalArgumentException("A timeout must be 0 or greater, got " + timeoutMillis);
    }
    soTimeoutMillis = timeoutMillis;
  }

  @Override
  public synchronized int getSoTimeout() throws SocketException {
    requireOpen();
    return soTimeoutMillis;
  }

  @Override
  public SocketAddress getRemoteSocketAddress() {
    return remoteAddress;
  }

  /** The client side of a Unix socket has no name, so both sides return the server's. */
  @Override
  public SocketAddress getLocalSocketAddress() {
    return remoteAddress;
  }

  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  public boolean isBound() {
    return true;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    // The channel's file descriptor is released, and waiting threads wake up, only when the
    // selectors that know the channel are closed too.
    try {
      channel.close();
    } finally {
      readSelector.close();
      if (writeSelector != null) {
        writeSelector.close();
      }
    }
  }

  @Override
  public String toString() {
    return "UnixSocket[" + remoteAddress + (closed ? ", closed" : "") + "]";
  }

  private void requireOpen() throws SocketException {
    if (closed) {
      throw new SocketException("Socket closed");
    }
  }

  private synchronized Selector writeSelector() throws IOException {
    requireOpen();
    Selector selector = writeSelector;
    if (selector == null) {
      selector = Selector.open();
      writeSelector = selector;
      channel.register(selector, SelectionKey.OP_WRITE);
    }
    return selector;
  }

  /**
   * Fills the empty buffer with the bytes that have arrived, without waiting; −1 at the end of the
   * stream.
   */
  private int receive() throws IOException {
    received.clear();
    try {
      return channel.read(received);
    } catch (ClosedChannelException e) {
      throw closedMeanwhile(e);
    } finally {
      received.flip();
    }
  }

  private int receiveOrWait() throws IOException {
    int count = receive();
    if (count != 0) {
      return count;
    }
    int timeoutMillis = soTimeoutMillis;
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    boolean interrupted = false;
    try {
      while (count == 0) {
        long waitMillis = timeoutMillis == 0 ? 0 : millisUntil(deadline);
        if (waitMillis < 0) {
          throw new SocketTimeoutException("Read timed out after " + timeoutMillis + " ms");
        }
        select(readSelector, waitMillis);
        // A selector does not wait in an interrupted thread: this loop would spin.
        interrupted |= Thread.interrupted();
        count = receive();
      }
      return count;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void send(ByteBuffer bytes) throws IOException {
    boolean interrupted = false;
    try {
      while (bytes.hasRemaining()) {
        if (channel.write(bytes) == 0) {
          select(writeSelector(), 0);
          interrupted |= Thread.interrupted();
        }
      }
    } catch (ClosedChannelException e) {
      throw closedMeanwhile(e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void select(Selector selector, long timeoutMillis) throws IOException {
    try {
      selector.select(key -> {}, timeoutMillis);
    } catch (ClosedSelectorException e) {
      throw closedMeanwhile(e);
    }
  }

  /** Rounded up, since 0 means to wait without limit; −1 after the deadline. */
  private static long millisUntil(long deadline) {
    long nanos = deadline - System.nanoTime();
    return nanos <= 0 ? -1 : TimeUnit.NANOSECONDS.toMillis(nanos) + 1;
  }

  private static SocketException closedMeanwhile(Exception cause) {
    SocketException closed = new SocketException("Socket closed");
    closed.initCause(cause);
    return closed;
  }

  private final class Input extends InputStream {

    @Override
    public int read() throws IOException {
      requireOpen();
      return received.hasRemaining() || receiveOrWait() > 0 ? received.get() & 0xff : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, target.length);
      requireOpen();
      if (length == 0) {
        return 0;
      }
      if (!received.hasRemaining() && receiveOrWait() < 0) {
        return -1;
      }
      int count = Math.min(length, received.remaining());
      received.get(target, offset, count);
      return count;
    }

    @Override
    public int available() throws IOException {
      requireOpen();
      if (!received.hasRemaining()) {
        receive();
      }
      return received.remaining();
    }

    @Override
    public void close() throws IOException {
      UnixSocket.this.close();
    }
  }

  private final class Output extends OutputStream {

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, source.length);
      requireOpen();
      int end = offset + length;
      for (int start = offset; start < end; start += WRITE_CHUNK) {
        send(ByteBuffer.wrap(source, start, Math.min(WRITE_CHUNK, end - start)));
      }
    }

    @Override
    public void close() throws IOException {
      UnixSocket.this.close();
    }
  }
}
