package io.asynq4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records reach their destination. */
class RecordLogTest {

  @ParameterizedTest
  @ValueSource(strings = {"info", "warn", "error", "off"})
  @ResourceLock(Resources.SYSTEM_ERR)
  void aRecordIsWrittenWhateverTheLevelIs(String level) {
    String name = "records.at." + level;
    System.setProperty("org.slf4j.simpleLogger.log." + name, level);
    PrintStream before = System.err;
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    System.setErr(new PrintStream(written, /* autoFlush= */ true, StandardCharsets.UTF_8));
    try {
      new RecordLog(name).write("somebody has done something");
    } finally {
      System.setErr(before);
      System.clearProperty("org.slf4j.simpleLogger.log." + name);
    }
    assertThat(written.toString(StandardCharsets.UTF_8))
        .contains(name)
        .contains("somebody has done something");
  }
}
