package io.asynq4j.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeFormatTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "500, 500",
    "500B, 500",
    "64KiB, 65536",
    "1MiB, 1048576",
    "1.5MiB, 1572864",
    "1.5 KiB, 1536",
    "2GiB, 2147483648",
    "1TiB, 1099511627776",
    "512kB, 512000",
    "512KB, 512000",
    "64kib, 65536",
    "3MB, 3000000",
    "0.5B, 1",
    "' 7 ', 7"
  })
  void readsEachForm(String text, long expected) {
    assertThat(ByteSizeFormat.tryParse(text)).contains(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "-1", "1K", "1M", "KiB", "1  KiB", "1.KiB", "1PiB", "1iB", "99999999TiB"})
  void refusesEverythingElse(String text) {
    assertThat(ByteSizeFormat.tryParse(text)).isEmpty();
  }

  @Test
  void readsWhatItWrites() {
    Random random = new Random(7);
    for (int i = 0; i < 10_000; i++) {
      long bytes = (random.nextLong() >>> (random.nextInt(40) + 20)) << (i % 12);
      assertThat(ByteSizeFormat.tryParse(ByteSizeFormat.format(bytes))).contains(bytes);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0B, 0 B",
    "900, 900B, 900 B",
    "1536, 1536B, 1.5 KiB",
    "65536, 64KiB, 64 KiB",
    "1048575, 1048575B, 1.0 MiB",
    "126877696, 121MiB, 121 MiB"
  })
  void writesExactlyAndRoughly(long bytes, String exact, String rough) {
    assertThat(ByteSizeFormat.format(bytes)).isEqualTo(exact);
    assertThat(ByteSizeFormat.approximate(bytes)).isEqualTo(rough);
  }
}
