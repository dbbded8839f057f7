package io.asynq4j.internal.redis.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts of the wire format that damaged and foreign messages are made of. */
class WireReaderTest {

  @Test
  void aNumberMayTakeMoreBytesThanItNeeds() throws WireFormatException {
    assertThat(reader("8180808000").int64()).isEqualTo(1);
    assertThat(reader("81808080808080808000").int64()).isEqualTo(1);
  }

  @Test
  void theHighBitsOfANumberThatIsTooLargeAreDropped() throws WireFormatException {
    assertThat(reader("8580808010").int32()).isEqualTo(5);
    assertThat(reader("ffffffffffffffffff01").int32()).isEqualTo(-1);
    // The tenth byte has room for one bit only.
    assertThat(reader("8080808080808080807f").int64()).isEqualTo(Long.MIN_VALUE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"8080808080808080808001", "ffffffffffffffffff81", "ffffffffffffffffffff"})
  void aNumberOfMoreThanTenBytesIsRefused(String hex) {
    assertThatExceptionOfType(WireFormatException.class)
        .isThrownBy(() -> reader(hex).int64())
        .withMessage("a varint is longer than 64 bits");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "80", "ffffffffffffffffff"})
  void aNumberThatIsCutOffIsRefused(String hex) {
    assertThatExceptionOfType(WireFormatException.class)
        .isThrownBy(() -> reader(hex).int64())
        .withMessage("the message ends inside a field");
  }

  @Test
  void everyNumberButZeroIsTrue() throws WireFormatException {
    assertThat(isStrict("3000")).isFalse();
    assertThat(isStrict("30808000")).isFalse();
    assertThat(isStrict("3080808080808080808001")).isTrue();
  }

  private static boolean isStrict(String server) throws WireFormatException {
    return PresenceCodec.decodeServer(HexFormat.of().parseHex(server)).strictPriority();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ffffffff07", "8080808004", "8080808008", "ffffffffffffffffff01", "02"})
  void aSizeBeyondTheBytesThatAreThereIsRefusedBeforeAnythingIsAllocated(String size) {
    String truncated = size + "78";

    for (Reading reading :
        List.<Reading>of(WireReader::string, WireReader::bytes, WireReader::message)) {
      assertThatExceptionOfType(WireFormatException.class)
          .isThrownBy(() -> reading.of(reader(truncated)));
    }
    assertThatExceptionOfType(WireFormatException.class)
        .isThrownBy(() -> reader(truncated).skip(tag(20, WireType.BYTES)));
    assertThatExceptionOfType(WireFormatException.class)
        .isThrownBy(() -> new UnknownFields().read(tag(20, WireType.BYTES), reader(truncated)));
  }

  @Test
  void anEmbeddedMessageDoesNotReachBeyondItsSize() throws WireFormatException {
    WireReader in = reader("020801" + "63");

    WireReader message = in.message();

    assertThat(message.tag()).isEqualTo(tag(1, WireType.VARINT));
    assertThat(message.int32()).isEqualTo(1);
    assertThat(message.tag()).isZero();
    assertThat(in.raw(1)).containsExactly(0x63);
    assertThat(in.tag()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ff", "80", "c3", "c080", "e282", "eda080", "f09f98", "f0808080", "f4908080"})
  void aTextThatIsNotUtf8IsRefused(String hex) {
    String text = "%02x".formatted(hex.length() / 2) + hex;

    assertThatExceptionOfType(WireFormatException.class)
        .isThrownBy(() -> reader(text).string())
        .withMessage("a string is not valid UTF-8");
  }

  @Test
  void aTextMayHaveTheReplacementCharacter() throws WireFormatException {
    assertThat(reader("03efbfbd").string()).isEqualTo("\uFFFD");
  }

  @ParameterizedTest
  @ValueSource(strings = {"00", "02", "07"})
  void aFieldWithTheNumber0IsRefused(String hex) {
    assertThatExceptionOfType(WireFormatException.class)
        .isThrownBy(() -> reader(hex).tag())
        .withMessage("a field has the invalid number 0");
  }

  @Test
  void unknownWireTypesAndEndsOfNoGroupAreRefused() {
    assertThatExceptionOfType(WireFormatException.class)
        .isThrownBy(() -> reader("00").skip(tag(1, 6)))
        .withMessage("a field has the unknown wire type 6");
    assertThatExceptionOfType(WireFormatException.class)
        .isThrownBy(() -> reader("").skip(tag(1, WireType.END_GROUP)))
        .withMessage("a group ends that was not started");
  }

  @Test
  void aGroupEndsWithItsOwnNumber() throws WireFormatException {
    WireReader in = reader("0801" + "0c" + "78");
    in.skip(tag(1, WireType.START_GROUP));
    assertThat(in.raw(1)).containsExactly(0x78);

    assertThatExceptionOfType(WireFormatException.class)
        .isThrownBy(() -> reader("0801" + "14").skip(tag(1, WireType.START_GROUP)));
    assertThatExceptionOfType(WireFormatException.class)
        .isThrownBy(() -> reader("0801").skip(tag(1, WireType.START_GROUP)))
        .withMessage("the message ends inside a field");
  }

  @Test
  void theLastOfSeveralValuesCountsAndTimesAreMerged() throws WireFormatException {
    // The start time is seconds 5, then nanoseconds 7, then seconds 6.
    byte[] server = HexFormat.of().parseHex("1001" + "1002" + "42020805" + "42021007" + "42020806");

    assertThat(PresenceCodec.decodeServer(server).pid()).isEqualTo(2);
    assertThat(PresenceCodec.decodeServer(server).started()).isEqualTo(Instant.ofEpochSecond(6, 7));
  }

  @Test
  void theLastOfEqualQueuesCountsAndWhatAnEntryLeavesOutIsEmpty() throws WireFormatException {
    // q=1, q=2, ""=3, "r"=0
    byte[] server =
        HexFormat.of().parseHex("2a050a01711001" + "2a050a01711002" + "2a021003" + "2a030a0172");

    assertThat(PresenceCodec.decodeServer(server).queues())
        .isEqualTo(Map.of("q", 2, "", 3, "r", 0));
  }

  private interface Reading {
    Object of(WireReader in) throws WireFormatException;
  }

  private static int tag(int number, int type) {
    return number << WireType.BITS | type;
  }

  private static WireReader reader(String hex) {
    return new WireReader(HexFormat.of().parseHex(hex));
  }
}
