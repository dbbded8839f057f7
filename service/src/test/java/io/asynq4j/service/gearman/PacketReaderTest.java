package io.asynq4j.service.gearman;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PacketReaderTest {

  private static final int MAX = 100;

  private final List<String> found = new ArrayList<>();
  private final PacketReader.Sink sink =
      new PacketReader.Sink() {
        @Override
        public void request(Request request) {
          StringBuilder text = new StringBuilder(request.command().name());
          for (int i = 0; i < request.command().arguments(); i++) {
            text.append('|').append(request.latin(i));
          }
          found.add(text.toString());
        }

        @Override
        public void line(String line) {
          found.add("line " + line);
        }

        @Override
        public void refused(Refusal refusal) {
          found.add("refused " + refusal.code());
        }

        @Override
        public void broken(String why) {
          found.add("broken");
        }
      };
  private final PacketReader reader = new PacketReader(MAX, new Room(0), sink);

  private static byte[] all(byte[]... parts) {
    ByteBuffer all = ByteBuffer.allocate(10_000);
    for (byte[] part : parts) {
      all.put(part);
    }
    byte[] bytes = new byte[all.flip().remaining()];
    all.get(bytes);
    return bytes;
  }

  private static byte[] mixed() {
    return all(
        RawPeer.packet(Command.SUBMIT_JOB.code(), "f", "u", "da\0ta"),
        RawPeer.packet(Command.GRAB_JOB.code()),
        "status\r\n".getBytes(StandardCharsets.UTF_8),
        RawPeer.packet(Command.SUBMIT_JOB.code(), "f", "no data"),
        RawPeer.packet(Command.ECHO_REQ.code(), "x".repeat(MAX + 1)),
        RawPeer.packet(77, "what?"),
        RawPeer.packet(Command.JOB_ASSIGN.code(), "h", "f", "d"),
        RawPeer.packet(Command.ECHO_REQ.code(), ""),
        "version\n".getBytes(StandardCharsets.UTF_8),
        RawPeer.packet(Command.CAN_DO.code(), "f"));
  }

  private static final List<String> EXPECTED =
      List.of(
          "SUBMIT_JOB|f|u|da\0ta",
          "GRAB_JOB",
          "line status",
          "refused INVALID_ARGUMENTS",
          "refused PACKET_TOO_LARGE",
          "refused INVALID_COMMAND",
          "refused INVALID_COMMAND",
          "ECHO_REQ|",
          "line version",
          "CAN_DO|f");

  @Test
  void readsPacketsAndLinesHoweverTheyAreCut() {
    byte[] bytes = mixed();
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      found.clear();
      int at = 0;
      while (at < bytes.length) {
        int step = Math.min(bytes.length - at, 1 + random.nextInt(seed % 2 == 0 ? 5 : 300));
        reader.read(ByteBuffer.wrap(bytes, at, step).slice());
        at += step;
      }
      assertThat(found).as("seed %d", seed).isEqualTo(EXPECTED);
      assertThat(reader.isAmidst()).isFalse();
    }
  }

  @Test
  void knowsThatAPacketHasNotEnded() {
    byte[] packet = RawPeer.packet(Command.CAN_DO.code(), "f");
    reader.read(ByteBuffer.wrap(packet, 0, packet.length - 1).slice());
    assertThat(reader.isAmidst()).isTrue();
    assertThat(found).isEmpty();
  }

  @Test
  void givesUpOnWhatIsNotGearman() {
    reader.read(ByteBuffer.wrap("\0BAD12345678".getBytes(StandardCharsets.ISO_8859_1)));
    reader.read(ByteBuffer.wrap(RawPeer.packet(Command.GRAB_JOB.code())));
    assertThat(found).containsExactly("broken");
  }

  @Test
  void givesUpOnALineWithoutEnd() {
    reader.read(ByteBuffer.wrap("x".repeat(5_000).getBytes(StandardCharsets.UTF_8)));
    assertThat(found).containsExactly("broken");
  }

  @Test
  void whenThereIsNoMoreMemoryForPacketsOneIsPassedOverAndTheRestGoesOn() {
    Room room = new Room(200_000);
    PacketReader one = new PacketReader(1 << 20, room, sink);
    PacketReader other = new PacketReader(1 << 20, room, sink);
    byte[] large = RawPeer.packet(Command.ECHO_REQ.code(), "x".repeat(150_000));
    one.read(ByteBuffer.wrap(large, 0, 140_000).slice());
    assertThat(room.used()).isPositive();
    other.read(ByteBuffer.wrap(large));
    other.read(ByteBuffer.wrap(RawPeer.packet(Command.ECHO_REQ.code(), "small")));
    assertThat(found).containsExactly("refused OUT_OF_MEMORY", "ECHO_REQ|small");

    one.read(ByteBuffer.wrap(large, 140_000, large.length - 140_000).slice());
    assertThat(found).hasSize(3).last().asString().hasSize(150_009);
    assertThat(room.used()).isZero();
    other.read(ByteBuffer.wrap(large));
    assertThat(found).hasSize(4).last().asString().hasSize(150_009);
    other.read(ByteBuffer.wrap(large, 0, 140_000).slice());
    other.end();
    assertThat(room.used()).isZero();
  }
}
