package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class WireFieldTest {

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  @Test
  void theOrderOfFieldsIsKept() {
    assertThat(WireField.of(bytes("0a0178" + "2819")))
        .containsExactly(new WireField(1, "0a0178", 0), new WireField(5, "2819", 25));
    assertThat(WireField.of(bytes("2819" + "0a0178")))
        .containsExactly(new WireField(5, "2819", 25), new WireField(1, "0a0178", 0));
  }

  @Test
  void aNumberOrLengthThatIsWrittenInMoreBytesThanNeededIsAnother() {
    assertThat(WireField.of(bytes("289900")).get(0)).isEqualTo(new WireField(5, "289900", 25));
    assertThat(WireField.of(bytes("0a810078")).get(0)).isEqualTo(new WireField(1, "0a810078", 0));
  }
}
