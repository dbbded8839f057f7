package io.asynq4j.internal.redis.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.fixture.RedisSnapshot;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.redis.codec.wire.WireSchedulerEntry;
import io.asynq4j.internal.redis.codec.wire.WireServer;
import io.asynq4j.internal.redis.golden.GoldenFile;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Encodes and decodes messages of servers and schedulers that Go has written. */
class PresenceCodecTest {

  private static final String V6 =
      "0a05686f73743110d2091a057372762d31200a2a0b0a0764656661756c74100330013a06616374697665420c08"
          + "80e2cfaa061080cab5ee014802";
  private static final String V7 =
      "0a05686f73743110d2091a057372762d31220274332a0a696d673a726573697a6532030001ff3a086372697469"
          + "63616c42060880e2cfaa064a0b089ee2cfaa061080e59a77";
  private static final String V8 =
      "0a07656e7472792d31120a406576657279203330731a077265696e64657822027b7d2a0c517565756528226c6f"
          + "7722292a0b4d617852657472792833292a0e54696d656f757428316d333073293206089ee2cfaa063a0b08"
          + "8092b8c398feffffff01";
  private static final String V9 = "0a027433120b0880e2cfaa0610959aef3a";
  private static final String V10 = "0a0274331200";

  private static final Instant AT = Instant.ofEpochSecond(1_700_000_000);

  @Test
  void v6_aServer() throws WireFormatException {
    Presence.Server server =
        new Presence.Server(
            "host1",
            1234,
            "srv-1",
            10,
            Map.of("default", 3),
            true,
            "active",
            AT.plusMillis(500),
            2,
            null);

    assertThat(PresenceCodec.decodeServer(hex(V6))).isEqualTo(server);
    assertThat(PresenceCodec.encode(server)).asHexString().isEqualToIgnoringCase(V6);
  }

  @Test
  void v7_aWorker() throws WireFormatException {
    Presence.Worker worker =
        new Presence.Worker(
            "host1",
            1234,
            "srv-1",
            "t3",
            "img:resize",
            Payload.of(hex("0001ff")),
            QueueName.of("critical"),
            AT,
            AT.plusMillis(30_250));

    assertThat(PresenceCodec.decodeWorker(hex(V7))).isEqualTo(worker);
    assertThat(PresenceCodec.encode(worker)).asHexString().isEqualToIgnoringCase(V7);
  }

  @Test
  void v8_anEntryThatHasNeverEnqueuedHasGosZeroTime()
      throws WireFormatException, InvalidProtocolBufferException {
    Presence.SchedulerEntry entry =
        new Presence.SchedulerEntry(
            "entry-1",
            "@every 30s",
            "reindex",
            Payload.ofUtf8("{}"),
            List.of("Queue(\"low\")", "MaxRetry(3)", "Timeout(1m30s)"),
            AT.plusSeconds(30),
            null);

    assertThat(PresenceCodec.decodeSchedulerEntry(hex(V8))).isEqualTo(entry);
    assertThat(PresenceCodec.encode(entry)).asHexString().isEqualToIgnoringCase(V8);
    assertThat(WireSchedulerEntry.parseFrom(hex(V8)).getPrevEnqueueTime().getSeconds())
        .isEqualTo(-62_135_596_800L)
        .isEqualTo(Instant.parse("0001-01-01T00:00:00Z").getEpochSecond());
  }

  @Test
  void v9_anEventKeepsItsNanoseconds() throws WireFormatException {
    assertEvent(V9, new Presence.SchedulerEvent("t3", AT.plusNanos(123_456_789)));
  }

  @Test
  void v10_anEventAt1970HasAnEmptyTime() throws WireFormatException {
    assertEvent(V10, new Presence.SchedulerEvent("t3", Instant.EPOCH));
  }

  private static void assertEvent(String hex, Presence.SchedulerEvent event)
      throws WireFormatException {
    assertThat(PresenceCodec.decodeSchedulerEvent(hex(hex))).isEqualTo(event);
    assertThat(PresenceCodec.encode(event)).asHexString().isEqualToIgnoringCase(hex);
  }

  @Test
  void fixesQ25_whatNeverHappenedIsWrittenAsGosZeroTimeAndReadAsNever() throws WireFormatException {
    Presence.Worker worker =
        new Presence.Worker(
            "h", 1, "s", "t1", "t", Payload.absent(), QueueName.DEFAULT, null, null);

    assertThat(PresenceCodec.encode(worker))
        .asHexString()
        .containsIgnoringCase("8092B8C398FEFFFFFF01");
    assertThat(PresenceCodec.decodeWorker(PresenceCodec.encode(worker))).isEqualTo(worker);
  }

  @Test
  void anAbsentTimeReadsAs1970AsItDoesInGo() throws WireFormatException {
    assertThat(PresenceCodec.decodeServer(new byte[0]).started()).isEqualTo(Instant.EPOCH);
  }

  static List<GoldenFile> golden() {
    return GoldenFile.all();
  }

  @ParameterizedTest
  @MethodSource("golden")
  void optionsWrittenByGoAreWrittenBackUnchanged(GoldenFile golden)
      throws WireFormatException, InvalidProtocolBufferException {
    for (Map.Entry<String, RedisSnapshot.Entry> each : golden.snapshot().entries().entrySet()) {
      String key = each.getKey();
      List<byte[]> values = each.getValue().values();
      if (key.startsWith("asynq:servers:")) {
        assertWrittenBack(
            inOrder(values.get(0)), PresenceCodec::decodeServer, PresenceCodec::encode);
      } else if (key.startsWith("asynq:workers:")) {
        // A hash: the values are behind the names.
        for (int i = 1; i < values.size(); i += 2) {
          assertWrittenBack(values.get(i), PresenceCodec::decodeWorker, PresenceCodec::encode);
        }
      } else if (key.startsWith("asynq:schedulers:")) {
        for (byte[] entry : values) {
          assertWrittenBack(entry, PresenceCodec::decodeSchedulerEntry, PresenceCodec::encode);
        }
      } else if (key.startsWith("asynq:scheduler_history:")) {
        // A sorted set: the scores are behind the members.
        for (int i = 0; i < values.size(); i += 2) {
          assertWrittenBack(
              values.get(i), PresenceCodec::decodeSchedulerEvent, PresenceCodec::encode);
        }
      }
    }
  }

  /** The same server with its queues in order; Go writes them in any. */
  private static byte[] inOrder(byte[] server) throws InvalidProtocolBufferException {
    WireServer read = WireServer.parseFrom(server);
    return read.toBuilder()
        .clearQueues()
        .putAllQueues(new TreeMap<>(read.getQueuesMap()))
        .build()
        .toByteArray();
  }

  private interface Decoder<T> {
    T decode(byte[] bytes) throws WireFormatException;
  }

  private static <T> void assertWrittenBack(
      byte[] stored, Decoder<T> decoder, Function<T, byte[]> encoder) throws WireFormatException {
    assertThat(encoder.apply(decoder.decode(stored))).isEqualTo(stored);
  }

  @Test
  void aTimeThatNoClockWillEverShowIsReadAsTheNearestThatJavaCanSay() throws WireFormatException {
    WireServer early =
        WireServer.newBuilder()
            .setStartTime(Timestamp.newBuilder().setSeconds(Long.MIN_VALUE).setNanos(-1))
            .build();

    assertThat(PresenceCodec.decodeServer(early.toByteArray()).started()).isEqualTo(Instant.MIN);
  }

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }
}
