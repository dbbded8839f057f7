package io.asynq4j.internal.outcome;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class StackTraceFormatterTest {

  private static StackTraceElement frame(String type) {
    return new StackTraceElement(type, "call", "File.java", 7);
  }

  private static <T extends Throwable> T with(T thrown, StackTraceElement... frames) {
    thrown.setStackTrace(frames);
    return thrown;
  }

  @Test
  void itEndsWhereTheServerCalledTheHandler() {
    Throwable cause = with(new IllegalStateException("inner"), frame("app.Store"));
    Throwable thrown =
        with(
            new RuntimeException("outer", cause),
            frame("app.Mailer"),
            frame("io.asynq4j.handler.Mux"),
            frame("io.asynq4j.internal.server.attempt.Attempt"),
            frame("java.lang.Thread"));

    assertThat(StackTraceFormatter.of(thrown))
        .isEqualTo(
            """
            java.lang.RuntimeException: outer
            \tat app.Mailer.call(File.java:7)
            \tat io.asynq4j.handler.Mux.call(File.java:7)
            Caused by: java.lang.IllegalStateException: inner
            \tat app.Store.call(File.java:7)
            """);
  }

  @Test
  void manyFramesAndCausesAreCut() {
    StackTraceElement[] deep = new StackTraceElement[40];
    Arrays.fill(deep, frame("app.Deep"));
    Throwable thrown = with(new RuntimeException("0"), deep);
    for (int i = 1; i < 10; i++) {
      thrown = with(new RuntimeException(Integer.toString(i), thrown));
    }

    assertThat(StackTraceFormatter.of(thrown).lines()).hasSize(5);
    assertThat(StackTraceFormatter.of(with(new RuntimeException("deep"), deep)).lines())
        .hasSize(17)
        .endsWith("\t… 25 more");
  }

  @Test
  void anExceptionWithoutAMessageIsNoProblem() {
    Throwable silent =
        new RuntimeException() {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new IllegalStateException("no words");
          }
        };

    assertThat(StackTraceFormatter.of(silent)).isEmpty();
  }
}
