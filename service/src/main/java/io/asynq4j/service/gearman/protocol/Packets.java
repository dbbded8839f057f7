package io.asynq4j.service.gearman.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Creates the packets that a server sends. */
public final class Packets {

  static final int HEADER = 12;
  public static final int REQUEST_MAGIC = 0x00_52_45_51;
  private static final int RESPONSE_MAGIC = 0x00_52_45_53;

  public static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private Packets() {}

  public static ByteBuffer of(PacketType command, byte[]... arguments) {
    int size = Math.max(0, arguments.length - 1);
    for (byte[] argument : arguments) {
      size += argument.length;
    }
    ByteBuffer packet = ByteBuffer.allocate(HEADER + size);
    packet.putInt(RESPONSE_MAGIC).putInt(command.code()).putInt(size);
    for (int i = 0; i < arguments.length; i++) {
      if (i > 0) {
        packet.put((byte) 0);
      }
      packet.put(arguments[i]);
    }
    return packet.flip();
  }

  public static ByteBuffer of(PacketType command, String first, byte[]... more) {
    byte[][] all = new byte[more.length + 1][];
    all[0] = latin(first);
    System.arraycopy(more, 0, all, 1, more.length);
    return of(command, all);
  }

  /** The status in a WORK_STATUS packet; empty for any other packet. */
  public static Optional<JobStatus> status(ByteBuffer packet) {
    if (packet.remaining() < HEADER
        || packet.getInt(packet.position() + Integer.BYTES) != PacketType.WORK_STATUS.code()) {
      return Optional.empty();
    }
    byte[] body = new byte[packet.remaining() - HEADER];
    packet.duplicate().position(packet.position() + HEADER).get(body);
    String[] words = new String(body, StandardCharsets.ISO_8859_1).split("\0", -1);
    return words.length == 3 ? Optional.of(new JobStatus(words[1], words[2])) : Optional.empty();
  }

  static ByteBuffer error(GearmanException refusal) {
    return of(
        PacketType.ERROR,
        latin(refusal.code()),
        refusal.text().replace('\0', ' ').getBytes(StandardCharsets.UTF_8));
  }

  public static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
