package io.asynq4j.internal.server.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class PrintableThrowableTest {

  private static String printed(Throwable error) {
    StringWriter text = new StringWriter();
    error.printStackTrace(new PrintWriter(text, true));
    return text.toString();
  }

  @Test
  void anOrdinaryExceptionIsPrintedAsItIs() {
    Exception error = new IllegalStateException("outer", new RuntimeException("inner"));
    error.addSuppressed(new RuntimeException((String) null));

    assertThat(PrintableThrowable.of(error)).isSameAs(error);
  }

  @Test
  void linesInAMessageAreEscapedWhereverItStands() {
    Exception error = new IllegalStateException("outer", new RuntimeException("x\n12:00 ERROR y"));
    error.addSuppressed(new RuntimeException("\u001b[2J"));

    String printed = printed(PrintableThrowable.of(error));

    assertThat(printed)
        .startsWith("java.lang.IllegalStateException: outer")
        .contains("Caused by: java.lang.RuntimeException: x\\n12:00 ERROR y")
        .contains("Suppressed: java.lang.RuntimeException: \\u001b[2J")
        .contains("at io.asynq4j.internal.server.attempt.PrintableThrowableTest.linesInAMessage");
    assertThat(printed.lines()).noneMatch(line -> line.startsWith("12:00"));
  }

  @Test
  void anExceptionWithoutAMessageIsNamed() {
    Exception error =
        new RuntimeException() {
          private static final long serialVersionUID = 1;

          @Override
          public String getMessage() {
            throw new IllegalStateException("no message");
          }

          @Override
          public synchronized Throwable getCause() {
            throw new IllegalStateException("no cause");
          }
        };

    assertThat(PrintableThrowable.of(error)).hasMessage(error.getClass().getName()).hasNoCause();
  }

  @Test
  void aCycleOfCausesAndAVeryLongChainEnd() {
    Exception first = new RuntimeException("first\n");
    first.initCause(new RuntimeException("second", first));
    Exception chain = new RuntimeException("bottom");
    for (int i = 0; i < 100_000; i++) {
      chain = new RuntimeException("above", chain);
    }

    assertThat(printed(PrintableThrowable.of(first))).contains("first\\n", "second");
    assertThat(printed(PrintableThrowable.of(chain))).contains("above").doesNotContain("bottom");
  }

  @Test
  void aVeryLongMessageIsCut() {
    assertThat(PrintableThrowable.of(new RuntimeException("x".repeat(1_000_000))).getMessage())
        .hasSize(2_001);
  }
}
