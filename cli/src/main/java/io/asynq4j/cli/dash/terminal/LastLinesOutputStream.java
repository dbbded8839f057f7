package io.asynq4j.cli.dash.terminal;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Keeps the last printed lines, to show them later. Thread-safe. */
public final class LastLinesOutputStream extends OutputStream {

  private static final int MOST = 20;

  private final Deque<String> lines = new ArrayDeque<>();
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();

  public PrintStream stream() {
    return new PrintStream(this, /* autoFlush= */ true, StandardCharsets.UTF_8);
  }

  @Override
  public synchronized void write(int b) {
    if (b != '\n') {
      line.write(b);
      return;
    }
    lines.add(line.toString(StandardCharsets.UTF_8));
    line.reset();
    if (lines.size() > MOST) {
      lines.remove();
    }
  }

  public synchronized List<String> lines() {
    return List.copyOf(lines);
  }
}
