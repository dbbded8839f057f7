package io.asynq4j.service.gearman.protocol;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection with its buffers. Answers are sent in the order of the requests, however long each
 * takes: a request reserves a slot first. A peer that sends faster than its requests are handled,
 * or that does not read its answers, is not read from until it has caught up. Only for the event
 * loop's thread.
 */
public final class PeerConnection implements PacketReader.Sink {

  private static final Logger log = LoggerFactory.getLogger(PeerConnection.class);

  /** Maximum number of unanswered requests of one peer. */
  private static final int MAX_OPEN = 1_000;

  private static final int MAX_BUFFERS_PER_WRITE = 64;
  private static final long STALLED_NANOS = Duration.ofMinutes(1).toNanos();

  /** A client may be busy with earlier packets. */
  private static final long UNREAD_NANOS = Duration.ofMinutes(5).toNanos();

  private static final long CLOSE_TIMEOUT_NANOS = Duration.ofSeconds(10).toNanos();

  /** Handles the requests of the peer. */
  public interface Peer {

    void request(RequestPacket request);

    void line(String line);

    /** Called once, when the connection is closed. */
    void closed();

    void tick(long now);
  }

  /** The place of an answer in the order of answers. */
  public final class ResponseSlot {
    private final int weight;
    private @Nullable ByteBuffer answer;
    private boolean filled;

    private ResponseSlot(int weight) {
      this.weight = weight;
    }

    public void answer(ByteBuffer packet) {
      fill(packet);
    }

    public void refuse(GearmanException refusal) {
      fill(Packets.error(refusal));
    }

    /** Sends no answer. */
    public void skip() {
      fill(null);
    }

    private void fill(@Nullable ByteBuffer packet) {
      if (filled) {
        throw new IllegalStateException("answered twice");
      }
      filled = true;
      answer = packet;
      advance();
    }
  }

  private final SocketChannel channel;
  private final SelectionKey key;
  private final long number;
  private final String address;
  private final long maxBytes;
  private final Consumer<PeerConnection> toFlush;
  private final Consumer<PeerConnection> onClose;
  private final PacketMemory memory;
  private final PacketReader reader;
  private final Deque<ResponseSlot> open = new ArrayDeque<>();
  private final Deque<ByteBuffer> out = new ArrayDeque<>();
  private @Nullable Peer peer;
  private long openBytes;
  private long outBytes;
  private long heardAt = System.nanoTime();
  private long writtenAt = System.nanoTime();
  private long closingAt;
  private boolean heard;
  private boolean held;
  private boolean paused;
  private boolean closing;
  private boolean closed;

  PeerConnection(
      SocketChannel channel,
      SelectionKey key,
      long number,
      int maxPacket,
      PacketMemory memory,
      Consumer<PeerConnection> toFlush,
      Consumer<PeerConnection> onClose)
      throws IOException {
    this.channel = channel;
    this.key = key;
    this.number = number;
    this.address = ((InetSocketAddress) channel.getRemoteAddress()).getAddress().getHostAddress();
    this.maxBytes = 2L * maxPacket + (1 << 20);
    this.toFlush = toFlush;
    this.onClose = onClose;
    this.memory = memory;
    this.reader = new PacketReader(maxPacket, memory, this);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    enableKeepAlive();
  }

  /** Detects peers that vanished without closing the connection, so that their jobs run again. */
  private void enableKeepAlive() throws IOException {
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    setIfSupported(ExtendedSocketOptions.TCP_KEEPIDLE, 30);
    setIfSupported(ExtendedSocketOptions.TCP_KEEPINTERVAL, 10);
    setIfSupported(ExtendedSocketOptions.TCP_KEEPCOUNT, 3);
  }

  private void setIfSupported(SocketOption<Integer> option, int value) throws IOException {
    if (channel.supportedOptions().contains(option)) {
      channel.setOption(option, value);
    }
  }

  void setPeer(Peer newPeer) {
    this.peer = newPeer;
  }

  /** Returns what handles the requests; null until it was created. */
  public @Nullable Peer peer() {
    return peer;
  }

  /** Number of the connection, for logs and lists. */
  public long number() {
    return number;
  }

  public String address() {
    return address;
  }

  public boolean isClosed() {
    return closed;
  }

  public boolean hasReceived() {
    return heard;
  }

  void read(ByteBuffer buffer) {
    buffer.clear();
    int count;
    try {
      count = channel.read(buffer);
    } catch (IOException e) {
      close("the connection was reset");
      return;
    }
    if (count < 0) {
      close("the peer has closed it");
      return;
    }
    if (count > 0) {
      heard = true;
      heardAt = System.nanoTime();
      reader.read(buffer.flip());
      updateInterest();
    }
  }

  @Override
  public void request(RequestPacket request) {
    if (peer != null && !closing && !closed) {
      peer.request(request);
    }
  }

  @Override
  public void line(String line) {
    if (peer != null && !closing && !closed) {
      peer.line(line);
    }
  }

  @Override
  public void refused(GearmanException refusal) {
    reserve(0).refuse(refusal);
  }

  @Override
  public void broken(String why) {
    log.info("connection {} of {} does not use gearman's protocol: {}", number, address, why);
    reserve(0).refuse(new GearmanException("INVALID_PACKET", why));
    closeWhenWritten();
  }

  /** Stops or resumes reading. */
  public void pause(boolean newPaused) {
    paused = newPaused;
    updateInterest();
  }

  /** Reserves the slot of the answer to a request of this size. */
  public ResponseSlot reserve(int weight) {
    ResponseSlot slot = new ResponseSlot(weight);
    open.add(slot);
    openBytes += weight;
    memory.add(weight);
    return slot;
  }

  /** Sends a packet that is not an answer, after the answers to earlier requests. */
  public void send(ByteBuffer packet) {
    reserve(0).answer(packet);
  }

  private void advance() {
    while (!open.isEmpty() && open.element().filled) {
      ResponseSlot slot = open.remove();
      openBytes -= slot.weight;
      memory.free(slot.weight);
      if (slot.answer != null && !closed) {
        writtenAt = out.isEmpty() ? System.nanoTime() : writtenAt;
        out.add(slot.answer);
        outBytes += slot.answer.remaining();
        memory.add(slot.answer.remaining());
      }
    }
    if (!closed) {
      toFlush.accept(this);
    }
  }

  void flush() {
    if (closed) {
      return;
    }
    try {
      while (!out.isEmpty()) {
        ByteBuffer[] some = out.stream().limit(MAX_BUFFERS_PER_WRITE).toArray(ByteBuffer[]::new);
        long written = channel.write(some);
        outBytes -= written;
        memory.free(written);
        writtenAt = written > 0 ? System.nanoTime() : writtenAt;
        while (!out.isEmpty() && !out.element().hasRemaining()) {
          out.remove();
        }
        if (written == 0) {
          break;
        }
      }
    } catch (IOException e) {
      close("the connection was reset");
      return;
    }
    if (closing && out.isEmpty() && open.isEmpty()) {
      close("the peer has finished");
      return;
    }
    updateInterest();
  }

  private void updateInterest() {
    if (closed || !key.isValid()) {
      return;
    }
    boolean isOverloaded =
        paused || open.size() > MAX_OPEN || openBytes > maxBytes || outBytes > maxBytes;
    int wanted = isOverloaded ? 0 : SelectionKey.OP_READ;
    if (!out.isEmpty()) {
      wanted |= SelectionKey.OP_WRITE;
    }
    if (key.interestOps() != wanted) {
      key.interestOps(wanted);
    }
    if (isOverloaded != held) {
      held = isOverloaded;
      // The time without reading does not count.
      heardAt = System.nanoTime();
      reader.restartTime();
    }
  }

  /** Whether the peer leaves too many bytes unread. */
  boolean isFarBehind() {
    return outBytes > 4 * maxBytes;
  }

  void tick(long now) {
    if (reader.isIncomplete() && !held && now - heardAt > STALLED_NANOS) {
      close("the peer has stopped in the middle of a packet");
    } else if (!held && reader.isTooSlow(now)) {
      close("the peer sends a packet too slowly");
    } else if (isFarBehind() || (!out.isEmpty() && now - writtenAt > UNREAD_NANOS)) {
      close("the peer does not read its packets");
    } else if (closing && open.isEmpty() && now - closingAt > CLOSE_TIMEOUT_NANOS) {
      close("the peer has finished and does not read its packets");
    } else if (peer != null) {
      peer.tick(now);
    }
  }

  /** Closes the connection when all answers have been sent. */
  public void closeWhenWritten() {
    if (!closing) {
      closing = true;
      closingAt = System.nanoTime();
    }
    toFlush.accept(this);
  }

  public void close(String why) {
    if (closed) {
      return;
    }
    closed = true;
    log.debug("connection {} of {} is closed: {}", number, address, why);
    try {
      channel.close();
    } catch (IOException e) {
      log.debug("connection {} could not be closed", number, e);
    }
    onClose.accept(this);
    out.clear();
    memory.free(outBytes);
    outBytes = 0;
    reader.close();
    if (peer != null) {
      peer.closed();
    }
  }
}
