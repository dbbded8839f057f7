package io.asynq4j.service.gearman.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.service.gearman.RawPeer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
        public void request(RequestPacket request) {
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
        public void refused(GearmanException refusal) {
          found.add("refused " + refusal.code());
        }

        @Override
        public void broken(String why) {
          found.add("broken");
        }
      };
  private final PacketReader reader = new PacketReader(MAX, new PacketMemory(0), sink);

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
        RawPeer.packet(PacketType.SUBMIT_JOB.code(), "f", "u", "da\0ta"),
        RawPeer.packet(PacketType.GRAB_JOB.code()),
        "status\r\n".getBytes(StandardCharsets.UTF_8),
        RawPeer.packet(PacketType.SUBMIT_JOB.code(), "f", "no data"),
        RawPeer.packet(PacketType.ECHO_REQ.code(), "x".repeat(MAX + 1)),
        RawPeer.packet(77, "what?"),
        RawPeer.packet(PacketType.JOB_ASSIGN.code(), "h", "f", "d"),
        RawPeer.packet(PacketType.ECHO_REQ.code(), ""),
        "version\n".getBytes(StandardCharsets.UTF_8),
        RawPeer.packet(PacketType.CAN_DO.code(), "f"));
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
      assertThat(reader.isIncomplete()).isFalse();
    }
  }

  @Test
  void knowsThatAPacketHasNotEnded() {
    byte[] packet = RawPeer.packet(PacketType.CAN_DO.code(), "f");
    reader.read(ByteBuffer.wrap(packet, 0, packet.length - 1).slice());
    assertThat(reader.isIncomplete()).isTrue();
    assertThat(found).isEmpty();
  }

  @Test
  void givesUpOnWhatIsNotGearman() {
    reader.read(ByteBuffer.wrap("\0BAD12345678".getBytes(StandardCharsets.ISO_8859_1)));
    reader.read(ByteBuffer.wrap(RawPeer.packet(PacketType.GRAB_JOB.code())));
    assertThat(found).containsExactly("broken");
  }

  @Test
  void givesUpOnALineWithoutEnd() {
    reader.read(ByteBuffer.wrap("x".repeat(5_000).getBytes(StandardCharsets.UTF_8)));
    assertThat(found).containsExactly("broken");
  }

  @Test
  void withoutMemoryForAPacketItIsSkippedAndTheRestContinues() {
    PacketMemory room = new PacketMemory(200_000);
    PacketReader one = new PacketReader(1 << 20, room, sink);
    PacketReader other = new PacketReader(1 << 20, room, sink);
    byte[] large = RawPeer.packet(PacketType.ECHO_REQ.code(), "x".repeat(150_000));
    one.read(ByteBuffer.wrap(large, 0, 140_000).slice());
    assertThat(room.used()).isPositive();
    other.read(ByteBuffer.wrap(large));
    other.read(ByteBuffer.wrap(RawPeer.packet(PacketType.ECHO_REQ.code(), "small")));
    assertThat(found).containsExactly("refused OUT_OF_MEMORY", "ECHO_REQ|small");

    one.read(ByteBuffer.wrap(large, 140_000, large.length - 140_000).slice());
    assertThat(found).hasSize(3).last().asString().hasSize(150_009);
    assertThat(room.used()).isZero();
    other.read(ByteBuffer.wrap(large));
    assertThat(found).hasSize(4).last().asString().hasSize(150_009);
    other.read(ByteBuffer.wrap(large, 0, 140_000).slice());
    other.close();
    assertThat(room.used()).isZero();
  }

  private static ByteBuffer beginOf(int size) {
    return ByteBuffer.allocate(12)
        .putInt(Packets.REQUEST_MAGIC)
        .putInt(PacketType.SUBMIT_JOB.code())
        .putInt(size)
        .flip();
  }

  @Test
  void packetsThatDoNotEndTakeABoundedPartOfALargeHeap() {
    PacketMemory room = PacketMemory.ofHeap(8L << 30);
    int size = 4 << 20;
    for (int i = 0; i < 200; i++) {
      PacketReader each = new PacketReader(size, room, sink);
      each.read(beginOf(size));
      each.read(ByteBuffer.allocate(size - 1));
    }
    assertThat(room.used()).isLessThanOrEqualTo(256 << 20);
    assertThat(found).contains("refused OUT_OF_MEMORY");
  }

  @Test
  void aPacketMayTakeLongerAsLongAsEnoughOfItComesEveryMinute() {
    PacketReader slow = new PacketReader(1 << 20, new PacketMemory(1 << 20), sink);
    long now = System.nanoTime();
    long minute = Duration.ofSeconds(61).toNanos();
    assertThat(slow.isTooSlow(now + 2 * minute)).isFalse();
    slow.read(beginOf(1 << 20));
    assertThat(slow.isTooSlow(now)).isFalse();
    for (int i = 1; i <= 8; i++) {
      slow.read(ByteBuffer.allocate(60 << 10));
      assertThat(slow.isTooSlow(now + i * minute + i)).as("minute %d", i).isFalse();
    }
    assertThat(slow.isTooSlow(now + 9 * minute + 9)).isTrue();
    slow.restartTime();
    slow.read(ByteBuffer.allocate((1 << 20) - (480 << 10)));
    assertThat(slow.isTooSlow(now + Duration.ofHours(10).toNanos())).isFalse();
  }

  @Test
  void aPacketOfWhichMuchCameAtOnceMustGoOn() {
    PacketReader slow = new PacketReader(4 << 20, new PacketMemory(8 << 20), sink);
    slow.read(beginOf(4 << 20));
    slow.read(ByteBuffer.allocate((4 << 20) - 1_024));
    long now = System.nanoTime();
    long minute = Duration.ofSeconds(61).toNanos();
    assertThat(slow.isTooSlow(now + minute)).isFalse();
    slow.read(ByteBuffer.allocate(3));
    assertThat(slow.isTooSlow(now + 2 * minute)).isTrue();
  }

  @Test
  void aPacketMayNotTakeForEver() {
    PacketReader slow = new PacketReader(4 << 20, new PacketMemory(8 << 20), sink);
    slow.read(beginOf(4 << 20));
    long now = System.nanoTime();
    long minute = Duration.ofSeconds(61).toNanos();
    for (int i = 1; i <= 9; i++) {
      slow.read(ByteBuffer.allocate(100 << 10));
      assertThat(slow.isTooSlow(now + i * minute + i)).as("minute %d", i).isFalse();
    }
    slow.read(ByteBuffer.allocate(100 << 10));
    assertThat(slow.isTooSlow(now + 10 * minute)).isTrue();
  }
}
