package io.asynq4j.service.gearman.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses the byte stream of a connection: binary packets, and lines of the admin protocol between
 * them. A packet that is too large is refused and skipped, so that the peer receives the reason.
 */
final class PacketReader {

  private static final int FIRST_PIECE = 16 << 10;
  private static final int MAX_LINE = 2_048;
  private static final Duration PERIOD = Duration.ofMinutes(1);
  private static final int MIN_BYTES_PER_PERIOD = 1_024 * (int) PERIOD.toSeconds();
  private static final Duration MAX_DURATION = Duration.ofMinutes(10);

  /** Receives what was read. */
  interface Sink {

    void request(RequestPacket request);

    /** A line of the admin protocol. */
    void line(String line);

    /** A packet that is refused; the next one can be read. */
    void refused(GearmanException refusal);

    /** The stream is not gearman's protocol; nothing more is read. */
    void broken(String why);
  }

  private final int maxBody;
  private final PacketMemory memory;
  private final Sink sink;
  private final ByteBuffer header = ByteBuffer.allocate(Packets.HEADER);
  private final StringBuilder line = new StringBuilder();

  private @Nullable PacketType command;

  /** The received parts of a body; pieces, as growing an array needs memory for both arrays. */
  private final List<byte[]> pieces = new ArrayList<>();

  private byte[] piece = new byte[0];
  private int inPiece;
  private int reserved;
  private int filled;
  private int expected;
  private long toSkip;
  private boolean inBody;
  private boolean inLine;
  private boolean broken;
  private long startedAt = System.nanoTime();
  private long periodStartedAt = startedAt;
  private int filledBeforePeriod;

  PacketReader(int maxBody, PacketMemory memory, Sink sink) {
    this.maxBody = maxBody;
    this.memory = memory;
    this.sink = sink;
  }

  /** Whether a packet or line has been received in part. */
  boolean isIncomplete() {
    return inBody || inLine || toSkip > 0 || header.position() > 0;
  }

  /**
   * Whether the peer sends a packet or line too slowly: it may take a minute, longer while enough
   * bytes arrive every minute, and at most ten minutes. To be called periodically.
   *
   * @param now as {@code System.nanoTime()}
   */
  boolean isTooSlow(long now) {
    if (!isIncomplete() || toSkip > 0) {
      return false;
    }
    if (now - startedAt > MAX_DURATION.toNanos()) {
      return true;
    }
    if (now - periodStartedAt <= PERIOD.toNanos()) {
      return false;
    }
    boolean isEnough = filled - filledBeforePeriod >= MIN_BYTES_PER_PERIOD;
    startPeriod(now);
    return !isEnough;
  }

  private void startPeriod(long now) {
    periodStartedAt = now;
    filledBeforePeriod = filled;
  }

  /** Restarts the time limits after the peer was not read from. */
  void restartTime() {
    startedAt = System.nanoTime();
    startPeriod(startedAt);
  }

  void read(ByteBuffer in) {
    while (in.hasRemaining() && !broken) {
      if (!isIncomplete()) {
        filled = 0;
        restartTime();
      }
      if (toSkip > 0) {
        skip(in);
      } else if (inBody) {
        readBody(in);
      } else if (inLine || (header.position() == 0 && in.get(in.position()) != 0)) {
        readLine(in);
      } else {
        readHeader(in);
      }
    }
  }

  private void skip(ByteBuffer in) {
    int step = (int) Math.min(toSkip, in.remaining());
    in.position(in.position() + step);
    toSkip -= step;
  }

  private void readHeader(ByteBuffer in) {
    while (header.hasRemaining() && in.hasRemaining()) {
      header.put(in.get());
    }
    if (header.hasRemaining()) {
      return;
    }
    header.flip();
    int magic = header.getInt();
    int code = header.getInt();
    long size = Integer.toUnsignedLong(header.getInt());
    header.clear();
    if (magic != Packets.REQUEST_MAGIC) {
      fail("a packet must start with \\0REQ");
      return;
    }
    command = PacketType.ofCode(code);
    if (size > maxBody) {
      toSkip = size;
      sink.refused(
          new GearmanException(
              "PACKET_TOO_LARGE",
              "a packet must not be larger than %,d bytes (maxPacket): %,d"
                  .formatted(maxBody, size)));
    } else if (command == null) {
      toSkip = size;
      sink.refused(new GearmanException("INVALID_COMMAND", "there is no command " + code));
    } else if (!command.isRequest()) {
      toSkip = size;
      sink.refused(new GearmanException("INVALID_COMMAND", command + " is not for servers"));
    } else {
      expected = (int) size;
      filled = 0;
      inBody = true;
      if (expected == 0) {
        endBody(command);
      }
    }
  }

  private void readBody(ByteBuffer in) {
    while (in.hasRemaining() && filled < expected) {
      if (inPiece == piece.length && !addPiece()) {
        toSkip = (long) expected - filled;
        inBody = false;
        free();
        sink.refused(
            new GearmanException(
                "OUT_OF_MEMORY",
                "the packets of all connections use the maximum of memory; send it again"
                    + " later"));
        return;
      }
      int step = Math.min(piece.length - inPiece, in.remaining());
      in.get(piece, inPiece, step);
      inPiece += step;
      filled += step;
    }
    if (filled == expected && command != null) {
      endBody(command);
    }
  }

  /** Allocates memory in proportion to what was received, not to what was announced. */
  private boolean addPiece() {
    int size = Math.min(expected - filled, Math.max(FIRST_PIECE, filled));
    // Small packets are not counted: each connection has at most one.
    int counted = pieces.isEmpty() ? 0 : size;
    if (!memory.reserve(counted)) {
      return false;
    }
    reserved += counted;
    piece = new byte[size];
    inPiece = 0;
    pieces.add(piece);
    return true;
  }

  private byte[] assembled() {
    if (pieces.size() == 1) {
      return pieces.get(0);
    }
    ByteBuffer all = ByteBuffer.allocate(expected);
    pieces.forEach(all::put);
    return all.array();
  }

  private void endBody(PacketType complete) {
    byte[] all = assembled();
    inBody = false;
    free();
    RequestPacket request;
    try {
      request = RequestPacket.parse(complete, all, expected);
    } catch (GearmanException refusal) {
      sink.refused(refusal);
      return;
    }
    sink.request(request);
  }

  /** Reads nothing more. */
  void close() {
    broken = true;
    free();
  }

  private void free() {
    memory.free(reserved);
    reserved = 0;
    pieces.clear();
    piece = new byte[0];
    inPiece = 0;
  }

  private void readLine(ByteBuffer in) {
    inLine = true;
    while (in.hasRemaining()) {
      char c = (char) (in.get() & 0xff);
      if (c == '\n') {
        inLine = false;
        String text = new String(Packets.latin(line.toString()), StandardCharsets.UTF_8).strip();
        line.setLength(0);
        sink.line(text);
        return;
      }
      if (line.length() == MAX_LINE) {
        fail("a line must not be longer than " + MAX_LINE + " bytes");
        return;
      }
      line.append(c);
    }
  }

  private void fail(String why) {
    broken = true;
    sink.broken(why);
  }
}
