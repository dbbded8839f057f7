package io.asynq4j.service.gearman.protocol;

import io.asynq4j.internal.text.SafeLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that accepts, reads and writes connections. Only this thread accesses the state of
 * connections; others pass it actions with {@link #execute}.
 */
public final class EventLoop {

  private static final Logger log = LoggerFactory.getLogger(EventLoop.class);

  private static final String LOOP_FAILED =
      SafeLog.text("the gearman gateway failed and continues");
  private static final String ACTION_FAILED =
      SafeLog.text("an action of the gearman gateway failed");
  private static final String CONNECTION_FAILED =
      SafeLog.text("a gearman connection fails and is closed");

  private static final int READ_BUFFER = 64 << 10;
  private static final long TICK_NANOS = Duration.ofMillis(100).toNanos();
  private static final int BACKLOG = 1_024;

  /** Limits new connections per turn, so that the existing ones are served. */
  private static final int MAX_ACCEPTED_PER_TURN = 256;

  private static final long WARNING_INTERVAL_NANOS = Duration.ofSeconds(10).toNanos();

  /** Limits actions per turn, so that they do not delay the sockets. */
  private static final int MAX_TASKS_PER_TURN = 10_000;

  private final Selector selector;
  private final ServerSocketChannel server;
  private @Nullable SelectionKey acceptKey;
  private final int port;
  private final int maxConnections;
  private final int maxPacket;
  private final PacketMemory memory = PacketMemory.ofHeap(Runtime.getRuntime().maxMemory());
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final Set<PeerConnection> connections = new LinkedHashSet<>();
  private final Set<PeerConnection> toFlush = new LinkedHashSet<>();
  private final ByteBuffer readBuffer = ByteBuffer.allocateDirect(READ_BUFFER);
  private final Thread thread;
  private Function<PeerConnection, PeerConnection.Peer> peers =
      connection -> {
        throw new IllegalStateException("the event loop was not started");
      };
  private long accepted;
  private long lastTick = System.nanoTime();
  private long lastWarning = System.nanoTime() - WARNING_INTERVAL_NANOS;
  private long suppressedWarnings;
  private volatile boolean stopping;

  /**
   * Listens on an address.
   *
   * @param maxPacket maximum size of a packet in bytes
   */
  public EventLoop(InetSocketAddress address, int maxConnections, int maxPacket) {
    this.maxConnections = maxConnections;
    this.maxPacket = maxPacket;
    try {
      this.selector = Selector.open();
      this.server = ServerSocketChannel.open();
      this.port = bind(address);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the gearman gateway cannot listen on %s:%d: %s"
              .formatted(address.getHostString(), address.getPort(), e.getMessage()),
          e);
    }
    this.thread = new Thread(this::run, "asynq-gearman");
    thread.setDaemon(true);
  }

  private int bind(InetSocketAddress address) throws IOException {
    try {
      server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      server.bind(address, BACKLOG);
      server.configureBlocking(false);
      acceptKey = server.register(selector, SelectionKey.OP_ACCEPT);
      return ((InetSocketAddress) server.getLocalAddress()).getPort();
    } catch (IOException e) {
      server.close();
      selector.close();
      throw e;
    }
  }

  /**
   * Starts to accept connections.
   *
   * @param newPeers creates the session of each connection
   */
  public void start(Function<PeerConnection, PeerConnection.Peer> newPeers) {
    this.peers = newPeers;
    thread.start();
  }

  public int port() {
    return port;
  }

  /** Runs an action on the event loop soon. Does nothing once the loop has ended. Thread-safe. */
  public void execute(Runnable task) {
    tasks.add(task);
    if (Thread.currentThread() != thread) {
      selector.wakeup();
    }
  }

  /** The open connections. Only for the event loop. */
  public List<PeerConnection> connections() {
    return List.copyOf(connections);
  }

  private void run() {
    try {
      while (!stopping) {
        turnOnce();
      }
    } catch (IOException | RuntimeException e) {
      log.error("the gearman gateway has failed and serves no connections any more", e);
    } finally {
      // Actions must not get lost: they may have claimed tasks.
      runTasks();
      connections().forEach(each -> guarded(each, () -> each.close("the gateway is closing")));
      closeQuietly();
    }
  }

  /** An error such as a lack of memory must not end the event loop: it may be temporary. */
  private void turnOnce() throws IOException {
    try {
      turn();
    } catch (Error e) {
      SafeLog.error(log, LOOP_FAILED, e);
      LockSupport.parkNanos(TICK_NANOS);
    }
  }

  private void turn() throws IOException {
    if (tasks.isEmpty()) {
      selector.select(TICK_NANOS / 1_000_000);
    } else {
      selector.selectNow();
    }
    Set<SelectionKey> ready = selector.selectedKeys();
    for (SelectionKey key : ready) {
      if (!key.isValid()) {
        continue;
      }
      if (key.isAcceptable()) {
        accept();
      } else if (key.attachment() instanceof PeerConnection connection) {
        guarded(connection, () -> serve(connection, key));
      }
    }
    ready.clear();
    runTasks();
    long now = System.nanoTime();
    if (now - lastTick >= TICK_NANOS) {
      lastTick = now;
      listen(true);
      connections().forEach(each -> guarded(each, () -> each.tick(now)));
    }
    List<PeerConnection> flushed = List.copyOf(toFlush);
    toFlush.clear();
    flushed.forEach(each -> guarded(each, each::flush));
  }

  private void runTasks() {
    for (int i = 0; i < MAX_TASKS_PER_TURN; i++) {
      Runnable task = tasks.poll();
      if (task == null) {
        return;
      }
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, ACTION_FAILED, e);
      }
    }
  }

  /** Closes a connection that fails, without affecting others. */
  private static void guarded(PeerConnection connection, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, CONNECTION_FAILED, e);
      connection.close("the gateway has failed");
    }
  }

  private void serve(PeerConnection connection, SelectionKey key) {
    if (key.isReadable()) {
      connection.read(readBuffer);
    }
    if (key.isValid() && key.isWritable()) {
      connection.flush();
    }
  }

  private void accept() {
    for (int i = 0; i < MAX_ACCEPTED_PER_TURN; i++) {
      SocketChannel channel = null;
      try {
        channel = server.accept();
        if (channel == null) {
          return;
        }
        open(channel);
      } catch (IOException | RuntimeException e) {
        warn("a gearman connection could not be accepted: " + e.getMessage());
        discard(channel);
        if (channel == null) {
          // For example, no file descriptors are left: do not try again without a pause.
          listen(false);
          return;
        }
      }
    }
  }

  private void listen(boolean on) {
    if (acceptKey != null && acceptKey.isValid()) {
      acceptKey.interestOps(on ? SelectionKey.OP_ACCEPT : 0);
    }
  }

  /** Limits the log lines that peers can cause. */
  private void warn(String problem) {
    suppressedWarnings++;
    long now = System.nanoTime();
    if (now - lastWarning >= WARNING_INTERVAL_NANOS) {
      log.warn("{} ({} such events since the last warning)", problem, suppressedWarnings);
      lastWarning = now;
      suppressedWarnings = 0;
    }
  }

  private void open(SocketChannel channel) throws IOException {
    if (connections.size() >= maxConnections) {
      warn(
          "a gearman connection is refused: the maximum of %,d connections is reached (maxConnections)"
              .formatted(maxConnections));
      channel.configureBlocking(false);
      channel.write(
          Packets.error(
              new GearmanException(
                  "TOO_MANY_CONNECTIONS",
                  "the gateway accepts at most %,d connections (maxConnections)"
                      .formatted(maxConnections))));
      channel.close();
      return;
    }
    channel.configureBlocking(false);
    SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
    PeerConnection connection =
        new PeerConnection(
            channel, key, ++accepted, maxPacket, memory, toFlush::add, connections::remove);
    connection.setPeer(peers.apply(connection));
    key.attach(connection);
    connections.add(connection);
  }

  private static void discard(@Nullable SocketChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        log.debug("a socket could not be closed", e);
      }
    }
  }

  /** Accepts no more connections; the open ones stay. Only for the event loop. */
  public void stopAccepting() {
    try {
      server.close();
    } catch (IOException e) {
      log.debug("the listening socket could not be closed", e);
    }
  }

  /** Closes all connections and ends the thread. */
  public void close() {
    stopping = true;
    selector.wakeup();
    try {
      thread.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void closeQuietly() {
    stopAccepting();
    try {
      selector.close();
    } catch (IOException e) {
      log.debug("the selector could not be closed", e);
    }
  }
}
