package io.asynq4j.server;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What the library logs, from when this is made until it is closed. */
final class CapturedLogs implements AutoCloseable {

  // slf4j-simple looks up System.err for every line.
  private final PrintStream err = System.err;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  CapturedLogs() {
    System.setErr(new PrintStream(written, /* autoFlush= */ true, StandardCharsets.UTF_8));
  }

  String text() {
    return written.toString(StandardCharsets.UTF_8);
  }

  /** Lines of these levels, such as {@code WARN}, without stack traces. */
  List<String> lines(String level) {
    return text().lines().filter(line -> line.contains(level + " io.asynq4j.")).toList();
  }

  List<String> linesWith(String words) {
    return text().lines().filter(line -> line.contains(words)).toList();
  }

  @Override
  public void close() {
    System.setErr(err);
  }
}
