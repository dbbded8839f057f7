package io.asynq4j.redis;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What the library logs as warnings, from when this is made until it is closed. */
final class CapturedWarnings implements AutoCloseable {

  // slf4j-simple looks up System.err for every line.
  private final PrintStream err = System.err;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  CapturedWarnings() {
    System.setErr(new PrintStream(written, /* autoFlush= */ true, StandardCharsets.UTF_8));
  }

  List<String> lines() {
    return written
        .toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.contains("WARN io.asynq4j."))
        .toList();
  }

  @Override
  public void close() {
    System.setErr(err);
  }
}
