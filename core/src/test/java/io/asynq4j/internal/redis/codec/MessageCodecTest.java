package io.asynq4j.internal.redis.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.redis.codec.wire.WireTask;
import io.asynq4j.internal.redis.golden.GoldenFile;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Encodes and decodes task messages that Go has written, and refuses invalid ones. */
class MessageCodecTest {

  private static final String V1 =
      "0a0a656d61696c3a73656e64120e7b22757365725f6964223a34327d1a2430303030303030302d303030302d34"
          + "3030302d383030302d303030303030303030303031220764656661756c74281940880e";
  private static final String V1_ID = "00000000-0000-4000-8000-000000000001";
  private static final String V2 = "0a077265696e6465781a0469642d3222036c6f774880e2cfaa06";
  private static final String V3 =
      "0a0a696d673a726573697a6512030001ff1a0274332208637269746963616c280530023a08626f6f6d3a20c3a9"
          + "401e4880b1ef860752436173796e713a7b637269746963616c7d3a756e697175653a696d673a726573697a"
          + "653a66666262386364356132333262376439303639303435333365393630396634385881e2cfaa066080a3"
          + "0568e4e2cfaa067203673a317a0f0a0874726163652d69641203616263";
  private static final String V4 = "0a01741201781a016922017128ffffffffffffffffff01";
  private static final String V5 = "0a01741a01692201717a040a001200";
  private static final Instant AT = Instant.ofEpochSecond(1_700_000_000);

  @Test
  void v1_aTaskAsMostAre() throws UnreadableMessageException {
    assertReadAndWritten(
        V1,
        new Message("email:send", V1_ID, "default")
            .payload(Payload.ofUtf8("{\"user_id\":42}"))
            .maxRetry(25)
            .timeout(1800)
            .build());
  }

  @Test
  void v2_aTaskWithADeadlineAndNoPayload() throws UnreadableMessageException {
    assertReadAndWritten(V2, new Message("reindex", "id-2", "low").deadline(AT).build());
  }

  @Test
  void v3_aTaskWithEverything() throws UnreadableMessageException {
    assertReadAndWritten(
        V3,
        new TaskMessage(
            "img:resize",
            Payload.of(hex("0001ff")),
            "t3",
            QueueName.of("critical"),
            5,
            2,
            "boom: é",
            Duration.ofSeconds(30),
            Instant.ofEpochSecond(1_893_456_000),
            "asynq:{critical}:unique:img:resize:ffbb8cd5a232b7d906904533e9609f48",
            Instant.ofEpochSecond(1_700_000_001),
            Duration.ofSeconds(86_400),
            Instant.ofEpochSecond(1_700_000_100),
            "g:1",
            Map.of("trace-id", "abc"),
            Payload.absent()));
  }

  @Test
  void v4_negativeNumbersTakeTenBytes() throws UnreadableMessageException {
    assertReadAndWritten(
        V4, new Message("t", "i", "q").payload(Payload.ofUtf8("x")).maxRetry(-1).build());
  }

  @Test
  void v5_aHeaderWithEmptyNameAndValueIsWrittenInFull() throws UnreadableMessageException {
    assertReadAndWritten(V5, new Message("t", "i", "q").headers(Map.of("", "")).build());
  }

  @Test
  void v11_noBytesAreAMessageOfDefaultsAndNoTask() throws InvalidProtocolBufferException {
    assertThat(WireTask.parseFrom(new byte[0])).isEqualTo(WireTask.getDefaultInstance());
    assertUnreadable(new byte[0], "its message belongs to task \"\" of queue \"\"");
  }

  @Test
  void v12_fixesQ24_unknownFieldsSurviveARewrite() throws UnreadableMessageException {
    String withField16 = V1 + "82010178";

    TaskMessage read = MessageCodec.decode(hex(withField16), QueueName.DEFAULT, V1_ID);

    assertThat(MessageCodec.encode(read)).asHexString().isEqualToIgnoringCase(withField16);
    TaskMessage failed =
        MessageCodec.decode(
            MessageCodec.encode(read.failed("boom", AT, true)), QueueName.DEFAULT, V1_ID);
    assertThat(failed.unknownFields()).isEqualTo(Payload.of(hex("82010178")));
    assertThat(failed.retried()).isEqualTo(1);
    assertThat(failed.lastError()).isEqualTo("boom");
    assertThat(failed.lastFailedAt()).isEqualTo(AT);
  }

  @Test
  void fieldsMayComeInAnyOrder() throws UnreadableMessageException {
    // queue, id, type
    assertThat(MessageCodec.decode(hex("2201711a01690a0174"), QueueName.of("q"), "i"))
        .isEqualTo(new Message("t", "i", "q").build());
  }

  @Test
  void aHeaderMayLeaveOutItsEmptyNameOrValue() throws UnreadableMessageException {
    assertThat(MessageCodec.decode(hex("0a01741a01692201717a030a0161"), QueueName.of("q"), "i"))
        .isEqualTo(new Message("t", "i", "q").headers(Map.of("a", "")).build());
  }

  static List<GoldenFile> golden() {
    return GoldenFile.all();
  }

  @ParameterizedTest
  @MethodSource("golden")
  void everyMessageOfTheOriginalIsWrittenBackAsItWas(GoldenFile golden)
      throws UnreadableMessageException {
    for (GoldenFile.StoredTask task : golden.tasks()) {
      TaskMessage message = MessageCodec.decode(task.message(), task.queue(), task.id());

      assertThat(GoldenFile.inOrder(MessageCodec.encode(message)))
          .isEqualTo(GoldenFile.inOrder(task.message()))
          .hasSize(task.message().length);
    }
  }

  @Test
  void fixesQ12_invalidUtf8IsRecognisedAsUnreadable() {
    // The type is the byte ff.
    assertUnreadable(hex("0a01ff1a0274312207" + "64656661756c74"), "its message cannot be read");
  }

  @Test
  void bytesThatAreNoMessageAreUnreadable() {
    assertUnreadable(hex("0aff"), "its message cannot be read");
    assertUnreadable("{\"json\":1}".getBytes(StandardCharsets.UTF_8), "its message cannot be read");
  }

  @Test
  void aMessageOfAnotherTaskIsUnreadable() {
    byte[] other = MessageCodec.encode(new Message("t", "other", "default").build());

    assertUnreadable(other, "its message belongs to task \"other\" of queue \"default\"");
  }

  @Test
  void aMessageOfAnotherQueueIsUnreadable() {
    byte[] other = MessageCodec.encode(new Message("t", "t1", "low").build());

    assertUnreadable(other, "its message belongs to task \"t1\" of queue \"low\"");
  }

  @Test
  void aMessageWithoutATypeIsUnreadable() {
    for (String type : List.of("", " ")) {
      WireTask wire = WireTask.newBuilder().setType(type).setId("t1").setQueue("default").build();

      assertUnreadable(wire.toByteArray(), "its message has no task type");
    }
  }

  @Test
  void anAttemptEndsEvenIfItsTimeoutHasNoEnd() throws UnreadableMessageException {
    WireTask wire =
        WireTask.newBuilder()
            .setType("t")
            .setId("t1")
            .setQueue("default")
            .setTimeout(Long.MAX_VALUE)
            .build();

    assertThat(MessageCodec.decode(wire.toByteArray(), QueueName.DEFAULT, "t1").endOfAttempt(AT))
        .isEqualTo(AT.plus(TaskMessage.LONGEST_ATTEMPT));
  }

  @Test
  void aTimeThatNoClockWillEverShowIsReadAsTheNearestThatJavaCanSay()
      throws UnreadableMessageException {
    WireTask far =
        WireTask.newBuilder()
            .setType("t")
            .setId("t1")
            .setQueue("default")
            .setDeadline(Long.MAX_VALUE)
            .build();

    assertThat(MessageCodec.decode(far.toByteArray(), QueueName.DEFAULT, "t1").deadline())
        .isEqualTo(Instant.ofEpochSecond(Instant.MAX.getEpochSecond()));
  }

  @Test
  void fixesQ12_halfCharactersInAnErrorAreReplaced() throws InvalidProtocolBufferException {
    byte[] bytes =
        MessageCodec.encode(
            new Message("t", "t1", "default").build().failed("bad \ud83d text \ude00", AT, true));

    assertThat(WireTask.parseFrom(bytes).getErrorMsg()).isEqualTo("bad ? text ?");
    assertThat(WireTask.parseFrom(bytes).getErrorMsgBytes().isValidUtf8()).isTrue();
  }

  @Test
  void anErrorOfReasonableLengthIsKeptWhole() {
    String text = "é".repeat(4096);

    assertThat(MessageCodec.errorText(text)).isEqualTo(text);
  }

  @Test
  void anEndlessErrorIsCut() {
    assertThat(MessageCodec.errorText("x".repeat(100_000))).isEqualTo("x".repeat(4096) + "…");
  }

  @Test
  void cuttingAnErrorDoesNotSplitACharacter() {
    // The 4096th char is the first half of a smiley, so all of it goes.
    String text = "x".repeat(4095) + "😀".repeat(10);

    assertThat(MessageCodec.errorText(text)).isEqualTo("x".repeat(4095) + "…");
    assertThat(ByteString.copyFromUtf8(MessageCodec.errorText(text)).isValidUtf8()).isTrue();
  }

  @Test
  void equalMessagesHaveEqualBytesWhateverTheOrderOfTheirHeaders() {
    TaskMessage one =
        new Message("t", "i", "q").headers(Map.of("a", "1", "b", "2", "c", "3")).build();
    TaskMessage other =
        new Message("t", "i", "q").headers(Map.of("c", "3", "a", "1", "b", "2")).build();

    assertThat(MessageCodec.encode(one)).isEqualTo(MessageCodec.encode(other));
  }

  @Test
  void emptyAndAbsentPayloadsAreStoredAlike() {
    TaskMessage absent = new Message("t", "i", "q").build();
    TaskMessage empty = new Message("t", "i", "q").payload(Payload.of(new byte[0])).build();

    assertThat(MessageCodec.encode(empty)).isEqualTo(MessageCodec.encode(absent));
  }

  private static void assertReadAndWritten(String hex, TaskMessage message)
      throws UnreadableMessageException {
    assertThat(MessageCodec.decode(hex(hex), message.queue(), message.id())).isEqualTo(message);
    assertThat(MessageCodec.encode(message)).asHexString().isEqualToIgnoringCase(hex);
  }

  private static void assertUnreadable(byte[] bytes, String why) {
    assertThatExceptionOfType(UnreadableMessageException.class)
        .isThrownBy(() -> MessageCodec.decode(bytes, QueueName.DEFAULT, "t1"))
        .withMessageStartingWith(why);
  }

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }

  /** A message of which most fields are left out. */
  private static final class Message {
    private final String type;
    private final String id;
    private final String queue;
    private Payload payload = Payload.absent();
    private int maxRetry;
    private long timeout;
    private @Nullable Instant deadline;
    private Map<String, String> headers = Map.of();

    Message(String type, String id, String queue) {
      this.type = type;
      this.id = id;
      this.queue = queue;
    }

    Message payload(Payload payload) {
      this.payload = payload;
      return this;
    }

    Message maxRetry(int maxRetry) {
      this.maxRetry = maxRetry;
      return this;
    }

    Message timeout(long seconds) {
      this.timeout = seconds;
      return this;
    }

    Message deadline(Instant deadline) {
      this.deadline = deadline;
      return this;
    }

    Message headers(Map<String, String> headers) {
      this.headers = headers;
      return this;
    }

    TaskMessage build() {
      return new TaskMessage(
          type,
          payload,
          id,
          QueueName.of(queue),
          maxRetry,
          0,
          "",
          Duration.ofSeconds(timeout),
          deadline,
          "",
          null,
          Duration.ZERO,
          null,
          "",
          headers,
          Payload.absent());
    }
  }
}
