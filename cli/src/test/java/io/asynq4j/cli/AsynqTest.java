package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class AsynqTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine command = Asynq.commandLine();
    command.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return command.execute(arguments);
  }

  @Test
  void theHelpNamesTheCommandsAndWhereToBegin() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("dev", "bench", "Begin with:  ./asynq dev", "Exit codes");
  }

  @Test
  void theHelpOfACommandTeachesIt() {
    assertThat(run("dev", "--help")).isZero();
    assertThat(out.toString()).contains("demo:hello", "--ephemeral", "--redis=URL", "Examples:");
  }

  @Test
  void theVersionIsTold() {
    assertThat(run("--version")).isZero();
    assertThat(out.toString()).contains("asynq4j");
  }

  @Test
  void anUnknownCommandIsAnsweredWithWhatThereIs() {
    assertThat(run("devv")).isEqualTo(2);
    assertThat(err.toString()).contains("devv").contains("dev");
  }

  @Test
  void noCommandIsAnsweredWithWhatThereIs() {
    assertThat(run()).isEqualTo(2);
    assertThat(err.toString()).contains("Which command?").contains("dev");
  }

  @Test
  void optionsThatContradictEachOtherAreRefused() {
    assertThat(run("dev", "--ephemeral", "--data", "x")).isEqualTo(2);
    assertThat(run("dev", "--redis", "redis://localhost", "--port", "7000")).isEqualTo(1);
    assertThat(err.toString()).contains("--port is for a Redis that is started");
  }

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
    Screen screen = new Screen(new PrintStream(bytes, true, StandardCharsets.UTF_8), terminal);
    screen.line("one");
    screen.status("first");
    screen.status("second");
    screen.line("two");
    return bytes.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
  }
}
