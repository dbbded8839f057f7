package io.asynq4j.service.gearman;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Makes the packets that a server sends. */
final class Packets {

  static final int HEADER = 12;
  static final int REQUEST_MAGIC = 0x00_52_45_51;
  private static final int RESPONSE_MAGIC = 0x00_52_45_53;

  private Packets() {}

  static ByteBuffer of(Command command, byte[]... arguments) {
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

  static ByteBuffer of(Command command, String first, byte[]... more) {
    byte[][] all = new byte[more.length + 1][];
    all[0] = latin(first);
    System.arraycopy(more, 0, all, 1, more.length);
    return of(command, all);
  }

  static ByteBuffer error(Refusal refusal) {
    return of(
        Command.ERROR,
        latin(refusal.code()),
        refusal.text().replace('\0', ' ').getBytes(StandardCharsets.UTF_8));
  }

  static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
