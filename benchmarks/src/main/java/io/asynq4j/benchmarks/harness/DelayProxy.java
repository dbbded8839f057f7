package io.asynq4j.benchmarks.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Proxy between clients and Redis that delays responses, so that every round trip takes longer, and
 * counts commands. Thread-safe.
 */
public final class DelayProxy implements AutoCloseable {

  private final URI target;
  private final long delayNanos;
  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final LongAdder commands = new LongAdder();

  private record Chunk(long dueNanos, ByteBuffer bytes) {
    static final Chunk END = new Chunk(0, ByteBuffer.allocate(0));

    boolean isEnd() {
      return bytes.capacity() == 0;
    }
  }

  /**
   * @param delay added to every round trip; zero for the overhead of the proxy alone
   */
  public DelayProxy(String target, Duration delay) {
    this.target = URI.create(target);
    this.delayNanos = delay.toNanos();
    try {
      this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot listen on a port of this machine", e);
    }
    run("proxy-accept", this::accept);
  }

  public String uri() {
    return "redis://127.0.0.1:" + listener.getLocalPort();
  }

  /** Number of commands that clients have sent, not counting those inside scripts. */
  public long commands() {
    return commands.sum();
  }

  private interface Work {
    void run() throws IOException;
  }

  private void run(String name, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                // One side closed the connection; the proxy continues.
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = open(listener.accept());
      Socket server = open(new Socket(target.getHost(), target.getPort()));
      BlockingQueue<Chunk> delayed = new LinkedBlockingQueue<>();
      CommandCounter counter = new CommandCounter(commands);
      run("proxy-requests", () -> read(client, delayed, counter));
      run("proxy-delay", () -> write(delayed, server));
      run("proxy-replies", () -> copy(server, client));
    }
  }

  private Socket open(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    sockets.add(socket);
    return socket;
  }

  private void read(Socket client, BlockingQueue<Chunk> delayed, CommandCounter counter)
      throws IOException {
    byte[] buffer = new byte[64 * 1024];
    try (InputStream in = client.getInputStream()) {
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        counter.feed(buffer, length);
        byte[] bytes = new byte[length];
        System.arraycopy(buffer, 0, bytes, 0, length);
        delayed.add(new Chunk(System.nanoTime() + delayNanos, ByteBuffer.wrap(bytes)));
      }
    } finally {
      delayed.add(Chunk.END);
    }
  }

  private void write(BlockingQueue<Chunk> delayed, Socket server) throws IOException {
    try (OutputStream out = server.getOutputStream()) {
      for (Chunk chunk = delayed.take(); !chunk.isEnd(); chunk = delayed.take()) {
        for (long left = left(chunk); delayNanos > 0 && left > 0; left = left(chunk)) {
          LockSupport.parkNanos(left);
        }
        out.write(chunk.bytes().array());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static long left(Chunk chunk) {
    return chunk.dueNanos() - System.nanoTime();
  }

  private static void copy(Socket from, Socket to) throws IOException {
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      in.transferTo(out);
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close the proxy", e);
    }
  }
}
