package io.asynq4j.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class DevConsoleTest {

  @Test
  void theStatusLineIsReplacedInPlaceOnATerminal() {
    assertThat(shown(/* terminal= */ true)).isEqualTo("one\nfirst\r\033[Ksecond\r\033[Ktwo\n");
  }

  @Test
  void theStatusLineIsALineElsewhere() {
    assertThat(shown(/* terminal= */ false)).isEqualTo("one\nfirst\nsecond\ntwo\n");
  }

  private static String shown(boolean terminal) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DevConsole screen =
        new DevConsole(new PrintStream(bytes, true, StandardCharsets.UTF_8), terminal);
    screen.line("one");
    screen.status("first");
    screen.status("second");
    screen.line("two");
    return bytes.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
  }
}
