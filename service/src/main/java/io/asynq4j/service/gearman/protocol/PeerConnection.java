package io.asynq4j.service.gearman.protocol;

import io.asynq4j.service.gearman.session.PeerSession;
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
import java.util.Optional;
import java.util.function.Consumer;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket with its bytes. Answers leave in the order of what they answer, however long each takes:
 * a request reserves its place first. Whoever sends more than is dealt with, or does not read what
 * he is sent, is not read from until he has caught up. Only for the loop's thread.
 */
public final class PeerConnection implements PacketReader.Sink {

  private static final Logger log = LoggerFactory.getLogger(PeerConnection.class);

  /** How many requests of one peer may be under way. */
  private static final int MOST_OPEN = 1_000;

  private static final int MOST_WRITTEN_AT_ONCE = 64;
  private static final long STALLED_NANOS = Duration.ofMinutes(1).toNanos();

  /** A client may be busy with what it was sent before. */
  private static final long UNREAD_NANOS = Duration.ofMinutes(5).toNanos();

  private static final long ENDING_NANOS = Duration.ofSeconds(10).toNanos();

  /** Who is at the other end. */
  public interface Peer {

    void request(RequestPacket request);

    void line(String line);

    /** Once, when the connection has ended. */
    void closed();

    void tick(long now);
  }

  /** The place of an answer among the others. */
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

    /** There is nothing to say. */
    public void leave() {
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
  private final long mostBytes;
  private final Consumer<PeerConnection> toFlush;
  private final Consumer<PeerConnection> onClose;
  private final PacketMemory room;
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
      PacketMemory room,
      Consumer<PeerConnection> toFlush,
      Consumer<PeerConnection> onClose)
      throws IOException {
    this.channel = channel;
    this.key = key;
    this.number = number;
    this.address = ((InetSocketAddress) channel.getRemoteAddress()).getAddress().getHostAddress();
    this.mostBytes = 2L * maxPacket + (1 << 20);
    this.toFlush = toFlush;
    this.onClose = onClose;
    this.room = room;
    this.reader = new PacketReader(maxPacket, room, this);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    noticeTheDead();
  }

  /** A machine that has lost its power says nothing: its jobs must not be its for hours. */
  private void noticeTheDead() throws IOException {
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    setIfKnown(ExtendedSocketOptions.TCP_KEEPIDLE, 30);
    setIfKnown(ExtendedSocketOptions.TCP_KEEPINTERVAL, 10);
    setIfKnown(ExtendedSocketOptions.TCP_KEEPCOUNT, 3);
  }

  private void setIfKnown(SocketOption<Integer> option, int value) throws IOException {
    if (channel.supportedOptions().contains(option)) {
      channel.setOption(option, value);
    }
  }

  void talkWith(Peer other) {
    this.peer = other;
  }

  public Optional<PeerSession> session() {
    return peer instanceof PeerSession session ? Optional.of(session) : Optional.empty();
  }

  /** Of the connection, for people to tell them apart. */
  public long number() {
    return number;
  }

  public String address() {
    return address;
  }

  public boolean isClosed() {
    return closed;
  }

  public boolean hasBeenHeard() {
    return heard;
  }

  void read(ByteBuffer buffer) {
    buffer.clear();
    int count;
    try {
      count = channel.read(buffer);
    } catch (IOException e) {
      close("it was reset");
      return;
    }
    if (count < 0) {
      close("the other end has closed it");
      return;
    }
    if (count > 0) {
      heard = true;
      heardAt = System.nanoTime();
      reader.read(buffer.flip());
      listenOrNot();
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
    log.info("connection {} of {} does not speak gearman: {}", number, address, why);
    reserve(0).refuse(new GearmanException("INVALID_PACKET", why));
    closeWhenWritten();
  }

  /** Whether to read no more, for now. */
  public void pause(boolean newPaused) {
    paused = newPaused;
    listenOrNot();
  }

  /** Keeps a place for the answer to a request of this size. */
  public ResponseSlot reserve(int weight) {
    ResponseSlot place = new ResponseSlot(weight);
    open.add(place);
    openBytes += weight;
    room.add(weight);
    return place;
  }

  /** Sends what nobody has asked for, after the answers that are due already. */
  public void send(ByteBuffer packet) {
    reserve(0).answer(packet);
  }

  private void advance() {
    while (!open.isEmpty() && open.element().filled) {
      ResponseSlot place = open.remove();
      openBytes -= place.weight;
      room.free(place.weight);
      if (place.answer != null && !closed) {
        writtenAt = out.isEmpty() ? System.nanoTime() : writtenAt;
        out.add(place.answer);
        outBytes += place.answer.remaining();
        room.add(place.answer.remaining());
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
        ByteBuffer[] some = out.stream().limit(MOST_WRITTEN_AT_ONCE).toArray(ByteBuffer[]::new);
        long written = channel.write(some);
        outBytes -= written;
        room.free(written);
        writtenAt = written > 0 ? System.nanoTime() : writtenAt;
        while (!out.isEmpty() && !out.element().hasRemaining()) {
          out.remove();
        }
        if (written == 0) {
          break;
        }
      }
    } catch (IOException e) {
      close("it was reset");
      return;
    }
    if (closing && out.isEmpty() && open.isEmpty()) {
      close("it is done");
      return;
    }
    listenOrNot();
  }

  private void listenOrNot() {
    if (closed || !key.isValid()) {
      return;
    }
    boolean tooMuch =
        paused || open.size() > MOST_OPEN || openBytes > mostBytes || outBytes > mostBytes;
    int wanted = tooMuch ? 0 : SelectionKey.OP_READ;
    if (!out.isEmpty()) {
      wanted |= SelectionKey.OP_WRITE;
    }
    if (key.interestOps() != wanted) {
      key.interestOps(wanted);
    }
    if (tooMuch != held) {
      held = tooMuch;
      // It was not its fault that nothing came.
      heardAt = System.nanoTime();
      reader.restartTime();
    }
  }

  /** Whether what it is sent piles up here. */
  boolean isFarBehind() {
    return outBytes > 4 * mostBytes;
  }

  void tick(long now) {
    if (reader.isAmidst() && !held && now - heardAt > STALLED_NANOS) {
      close("it has stopped in the middle of a packet");
    } else if (!held && reader.isTooSlow(now)) {
      close("it sends a packet too slowly");
    } else if (isFarBehind() || (!out.isEmpty() && now - writtenAt > UNREAD_NANOS)) {
      close("it does not read what it is sent");
    } else if (closing && open.isEmpty() && now - closingAt > ENDING_NANOS) {
      close("it is done, and does not read what it is sent");
    } else if (peer != null) {
      peer.tick(now);
    }
  }

  /** Ends when everything that is due has been sent. */
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
    log.debug("connection {} of {} ends, because {}", number, address, why);
    try {
      channel.close();
    } catch (IOException e) {
      log.debug("connection {} could not be closed", number, e);
    }
    onClose.accept(this);
    out.clear();
    room.free(outBytes);
    outBytes = 0;
    reader.end();
    if (peer != null) {
      peer.closed();
    }
  }
}
