package io.asynq4j.faults;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A proxy between a client and Redis that simulates network faults. A fault waits for a command by
 * its name, so that handshakes pass.
 */
public final class FaultProxy implements AutoCloseable {

  public enum Fault {
    /** The command never arrives; the connection breaks. */
    CUT_BEFORE,
    /** Redis executes it; the reply is lost and the connection breaks. */
    CUT_AFTER,
    /** The connection breaks; the command is kept until {@link #deliverHeld}. */
    HOLD
  }

  private record Trap(String command, Fault fault, Runnable then) {}

  private interface Held {
    void deliver() throws IOException;
  }

  private final int target;
  private final InetSocketAddress address;
  private final Queue<Trap> traps = new ConcurrentLinkedQueue<>();
  private final Queue<Held> held = new ConcurrentLinkedQueue<>();
  private final BlockingQueue<String> lateAnswers = new LinkedBlockingQueue<>();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();
  private volatile ServerSocket server;
  private volatile Thread acceptor;
  private volatile long replyDelayNanos;
  private volatile boolean stalled;

  public FaultProxy(int targetPort) {
    this.target = targetPort;
    ServerSocket socket = bind(0);
    this.server = socket;
    this.acceptor = start(() -> accept(socket));
    this.address = (InetSocketAddress) socket.getLocalSocketAddress();
  }

  public int port() {
    return address.getPort();
  }

  /** Number of accepted connections. */
  int accepted() {
    return accepted.get();
  }

  /** Injects a fault at the next such command. Several faults apply in order. */
  public void next(String command, Fault fault) {
    next(command, fault, () -> {});
  }

  /** The same, with an action before the client notices. */
  void next(String command, Fault fault, Runnable then) {
    traps.add(new Trap("\r\n" + command + "\r\n", fault, then));
  }

  boolean isSprung() {
    return traps.isEmpty();
  }

  void disarm() {
    traps.clear();
  }

  /** Sends a held command to Redis. Returns the raw reply. */
  String deliverHeld() {
    try {
      held.remove().deliver();
      return Objects.requireNonNull(lateAnswers.poll(5, TimeUnit.SECONDS), "no answer");
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException("the held command could not be delivered", e);
    }
  }

  void delayReplies(long millis) {
    replyDelayNanos = millis * 1_000_000;
  }

  /** Forwards nothing, and keeps connections open. */
  public void stall(boolean stall) {
    stalled = stall;
  }

  /** Breaks all connections and accepts no new ones. */
  public void refuse() {
    close(server);
    try {
      // Until then, the pending accept may still accept a connection.
      acceptor.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    cutAll();
  }

  public void acceptAgain() {
    ServerSocket again = bind(port());
    server = again;
    acceptor = start(() -> accept(again));
  }

  void cutAll() {
    sockets.forEach(FaultProxy::close);
    sockets.clear();
  }

  @Override
  public void close() {
    refuse();
  }

  private static ServerSocket bind(int port) {
    try {
      ServerSocket socket = new ServerSocket();
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept(ServerSocket from) {
    while (!from.isClosed()) {
      try {
        Socket client = from.accept();
        Socket redis = new Socket(InetAddress.getLoopbackAddress(), target);
        accepted.incrementAndGet();
        sockets.add(client);
        sockets.add(redis);
        Wire wire = new Wire(client, redis);
        start(wire::requests);
        start(wire::replies);
      } catch (IOException e) {
        // Closed, or Redis is down: the client sees the same as without a proxy, a broken
        // connection.
      }
    }
  }

  private static Thread start(Runnable task) {
    Thread thread = new Thread(task, "fault-proxy");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void close(Closeable closeable) {
    try {
      closeable.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One connection through the proxy. */
  private final class Wire {
    private final Socket client;
    private final Socket redis;
    private volatile @Nullable Trap sprung;

    Wire(Socket client, Socket redis) {
      this.client = client;
      this.redis = redis;
    }

    void requests() {
      byte[] buffer = new byte[1 << 20];
      try {
        int n = client.getInputStream().read(buffer);
        while (n > 0) {
          awaitFlow();
          Trap trap = sprungBy(buffer, n);
          if (trap != null && trap.fault() != Fault.CUT_AFTER) {
            keepBack(trap, Arrays.copyOf(buffer, n));
            return;
          }
          redis.getOutputStream().write(buffer, 0, n);
          n = client.getInputStream().read(buffer);
        }
        close(redis);
      } catch (IOException e) {
        close(redis);
      }
    }

    private void keepBack(Trap trap, byte[] command) {
      trap.then().run();
      if (trap.fault() == Fault.HOLD) {
        sockets.remove(redis);
        held.add(() -> redis.getOutputStream().write(command));
      } else {
        close(redis);
      }
      close(client);
    }

    void replies() {
      byte[] buffer = new byte[1 << 16];
      try {
        int n = redis.getInputStream().read(buffer);
        while (n > 0 && !isForNobody(buffer, n)) {
          awaitFlow();
          LockSupport.parkNanos(replyDelayNanos);
          client.getOutputStream().write(buffer, 0, n);
          n = redis.getInputStream().read(buffer);
        }
      } catch (IOException e) {
        // Broken on purpose.
      } finally {
        close(client);
        close(redis);
      }
    }

    private boolean isForNobody(byte[] reply, int length) {
      Trap trap = sprung;
      if (trap == null) {
        return false;
      }
      if (trap.fault() == Fault.HOLD) {
        lateAnswers.add(new String(reply, 0, length, StandardCharsets.UTF_8));
      } else {
        trap.then().run();
      }
      return true;
    }

    private void awaitFlow() {
      while (stalled) {
        LockSupport.parkNanos(1_000_000);
      }
    }

    private @Nullable Trap sprungBy(byte[] data, int length) {
      Trap trap = traps.peek();
      String text = new String(data, 0, length, StandardCharsets.ISO_8859_1);
      if (trap == null || !text.contains(trap.command()) || !traps.remove(trap)) {
        return null;
      }
      sprung = trap;
      return trap;
    }
  }
}
