package io.asynq4j.service.gearman;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Takes the stream of a connection apart, in whatever pieces it comes: binary packets, and lines of
 * the admin protocol between them. A packet that is too large is told of and passed over, so that
 * the peer lives to read why.
 */
final class PacketReader {

  private static final int FIRST_ROOM = 16 << 10;
  private static final int LONGEST_LINE = 2_048;

  /** What was found. */
  interface Sink {

    void request(Request request);

    /** A line of the admin protocol. */
    void line(String line);

    /** A packet that cannot be carried out; the next one can be read. */
    void refused(Refusal refusal);

    /** This is not gearman's protocol, and nothing after it can be understood. */
    void broken(String why);
  }

  private final int maxBody;
  private final Room room;
  private final Sink sink;
  private final ByteBuffer header = ByteBuffer.allocate(Packets.HEADER);
  private final StringBuilder line = new StringBuilder();

  private @Nullable Command command;
  private byte[] body = new byte[0];
  private int taken;
  private int filled;
  private int expected;
  private long toSkip;
  private boolean inBody;
  private boolean inLine;
  private boolean broken;

  PacketReader(int maxBody, Room room, Sink sink) {
    this.maxBody = maxBody;
    this.room = room;
    this.sink = sink;
  }

  /** Whether a packet or line has begun and not ended. */
  boolean isAmidst() {
    return inBody || inLine || toSkip > 0 || header.position() > 0;
  }

  void read(ByteBuffer in) {
    while (in.hasRemaining() && !broken) {
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
      breakOff("a packet must begin with \\0REQ");
      return;
    }
    command = Command.ofCode(code);
    if (size > maxBody) {
      toSkip = size;
      sink.refused(
          new Refusal(
              "PACKET_TOO_LARGE",
              "a packet must not be larger than %,d bytes (maxPacket): %,d"
                  .formatted(maxBody, size)));
    } else if (command == null) {
      toSkip = size;
      sink.refused(new Refusal("INVALID_COMMAND", "there is no command " + code));
    } else if (!command.isRequest()) {
      toSkip = size;
      sink.refused(new Refusal("INVALID_COMMAND", command + " is not for servers"));
    } else {
      expected = (int) size;
      filled = 0;
      inBody = true;
      body = new byte[Math.min(expected, FIRST_ROOM)];
      if (expected == 0) {
        endBody(command);
      }
    }
  }

  private void readBody(ByteBuffer in) {
    int step = Math.min(expected - filled, in.remaining());
    if (filled + step > body.length) {
      // Room is made for what has come, not for what was announced.
      int size = Math.min(expected, Math.max(filled + step, 2 * body.length));
      int more = size - body.length;
      if (!room.take(more)) {
        toSkip = (long) expected - filled;
        inBody = false;
        free();
        sink.refused(
            new Refusal(
                "OUT_OF_MEMORY",
                "the packets of all connections take as much memory as they may; send it again"
                    + " later"));
        return;
      }
      taken += more;
      body = Arrays.copyOf(body, size);
    }
    in.get(body, filled, step);
    filled += step;
    if (filled == expected && command != null) {
      endBody(command);
    }
  }

  private void endBody(Command complete) {
    byte[] all = body;
    inBody = false;
    free();
    Request request;
    try {
      request = Request.parse(complete, all, expected);
    } catch (Refusal refusal) {
      sink.refused(refusal);
      return;
    }
    sink.request(request);
  }

  /** Takes nothing more. */
  void end() {
    broken = true;
    free();
  }

  private void free() {
    room.free(taken);
    taken = 0;
    body = new byte[0];
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
      if (line.length() == LONGEST_LINE) {
        breakOff("a line must not be longer than " + LONGEST_LINE + " bytes");
        return;
      }
      line.append(c);
    }
  }

  private void breakOff(String why) {
    broken = true;
    sink.broken(why);
  }
}
