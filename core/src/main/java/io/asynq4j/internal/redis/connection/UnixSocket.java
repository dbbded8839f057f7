package io.asynq4j.internal.redis.connection;

import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;

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
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connected Unix domain socket with the interface of {@link Socket}, as far as Jedis uses it.
 *
 * <p>One thread may read while another writes; {@link #close} may be called from any thread and
 * ends both. As with a TCP socket on a platform thread, interrupting a thread has no effect on it.
 */
final class UnixSocket extends Socket {

  // The JDK keeps a direct buffer per thread as large as the largest part of an array that was
  // ever read or written at once.
  private static final int CHUNK = 64 * 1024;

  private final SocketChannel channel;
  private final SocketAddress remoteAddress;
  private final Selector readSelector;
  private final InputStream input = new Input();
  private final OutputStream output = new Output();

  private @Nullable Selector writeSelector;
  private volatile int soTimeoutMillis;

  /** Takes ownership of a connected channel, and closes it if that fails. */
  UnixSocket(SocketChannel connected) throws IOException {
    channel = connected;
    try {
      remoteAddress = connected.getRemoteAddress();
      connected.configureBlocking(false);
      readSelector = selectorFor(connected, SelectionKey.OP_READ);
    } catch (IOException | RuntimeException e) {
      connected.close();
      throw e;
    }
  }

  private static Selector selectorFor(SocketChannel channel, int operation) throws IOException {
    Selector selector = Selector.open();
    try {
      channel.register(selector, operation);
      return selector;
    } catch (IOException | RuntimeException e) {
      selector.close();
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
    requireAtLeast(0, timeoutMillis, "a timeout");
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
    return !channel.isOpen();
  }

  @Override
  public synchronized void close() throws IOException {
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
    return "UnixSocket[" + remoteAddress + (isClosed() ? ", closed" : "") + "]";
  }

  private void requireOpen() throws SocketException {
    if (isClosed()) {
      throw new SocketException("Socket closed");
    }
  }

  private synchronized Selector writeSelector() throws IOException {
    requireOpen();
    Selector selector = writeSelector;
    if (selector == null) {
      selector = selectorFor(channel, SelectionKey.OP_WRITE);
      writeSelector = selector;
    }
    return selector;
  }

  /** Reads or writes some bytes, and waits if necessary; −1 at the end of the stream. */
  private int transfer(ByteBuffer bytes, boolean isRead) throws IOException {
    int timeoutMillis = isRead ? soTimeoutMillis : 0;
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    boolean interrupted = false;
    try {
      while (true) {
        int count = isRead ? channel.read(bytes) : channel.write(bytes);
        if (count != 0) {
          return count;
        }
        long waitMillis = timeoutMillis == 0 ? 0 : millisUntil(deadline);
        if (waitMillis < 0) {
          throw new SocketTimeoutException("Read timed out after " + timeoutMillis + " ms");
        }
        (isRead ? readSelector : writeSelector()).select(key -> {}, waitMillis);
        // A selector does not wait in an interrupted thread: this loop would spin.
        interrupted |= Thread.interrupted();
      }
    } catch (ClosedChannelException | ClosedSelectorException e) {
      SocketException closed = new SocketException("Socket closed");
      closed.initCause(e);
      throw closed;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Rounded up, since 0 means to wait without limit; −1 after the deadline. */
  private static long millisUntil(long deadline) {
    long nanos = deadline - System.nanoTime();
    return nanos <= 0 ? -1 : TimeUnit.NANOSECONDS.toMillis(nanos) + 1;
  }

  /** Unbuffered, since Jedis buffers. */
  private final class Input extends InputStream {

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      return length == 0
          ? 0
          : transfer(ByteBuffer.wrap(target, offset, Math.min(length, CHUNK)), /* isRead= */ true);
    }
  }

  private final class Output extends OutputStream {

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      int end = offset + length;
      for (int start = offset; start < end; start += CHUNK) {
        ByteBuffer chunk = ByteBuffer.wrap(source, start, Math.min(CHUNK, end - start));
        while (chunk.hasRemaining()) {
          transfer(chunk, /* isRead= */ false);
        }
      }
    }
  }
}
