package io.asynq4j.service.tasks;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/** Output of a program: read completely, while only the start or the end is kept. Thread-safe. */
final class ProgramOutput implements AutoCloseable {

  private static final int LONGEST_LINE = 2_000;

  /** Called with each line, on the thread that reads. */
  @FunctionalInterface
  interface Lines {
    void add(String line);
  }

  private final InputStream stream;
  private final int limit;
  private final boolean keepEnd;
  private final Lines lines;
  private final Thread thread;
  private byte[] kept = {};
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();

  private ProgramOutput(InputStream stream, int limit, boolean keepEnd, Lines lines) {
    this.stream = stream;
    this.limit = limit;
    this.keepEnd = keepEnd;
    this.lines = lines;
    this.thread = new Thread(this::read, "asynq-cmd-output");
    thread.setDaemon(true);
  }

  static ProgramOutput head(InputStream stream, int limit, Lines lines) {
    return started(new ProgramOutput(stream, limit, false, lines));
  }

  static ProgramOutput tail(InputStream stream, int limit, Lines lines) {
    return started(new ProgramOutput(stream, limit, true, lines));
  }

  private static ProgramOutput started(ProgramOutput output) {
    output.thread.start();
    return output;
  }

  private void read() {
    byte[] buffer = new byte[8192];
    try {
      int count;
      while ((count = stream.read(buffer)) >= 0) {
        keep(Arrays.copyOf(buffer, count));
        split(buffer, count);
      }
    } catch (IOException e) {
      // Closed: the program has ended.
    }
    endLine();
  }

  private synchronized void keep(byte[] bytes) {
    byte[] all = Arrays.copyOf(kept, kept.length + bytes.length);
    System.arraycopy(bytes, 0, all, kept.length, bytes.length);
    int from = keepEnd ? Math.max(0, all.length - limit) : 0;
    kept = Arrays.copyOfRange(all, from, Math.min(all.length, from + limit));
  }

  private void split(byte[] buffer, int count) {
    for (int i = 0; i < count; i++) {
      if (buffer[i] == '\n') {
        endLine();
      } else if (line.size() < LONGEST_LINE) {
        line.write(buffer[i]);
      }
    }
  }

  private void endLine() {
    if (line.size() > 0) {
      lines.add(line.toString(StandardCharsets.UTF_8));
      line.reset();
    }
  }

  void await(Duration timeout) throws InterruptedException {
    thread.join(Math.max(1, timeout.toMillis()));
  }

  synchronized byte[] bytes() {
    return kept.clone();
  }

  String text() {
    return new String(bytes(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    try {
      stream.close();
    } catch (IOException e) {
      // Not needed any more.
    }
  }
}
