package io.asynq4j.cli.output;

import java.io.PrintStream;

/**
 * Progress of a long operation on one line of a terminal; prints nothing elsewhere. Thread-safe.
 * Close it before you print something else.
 */
public final class ProgressBar implements AutoCloseable {

  private static final long APART_NANOS = 100_000_000;
  private static final int WIDTH = 24;
  private static final String ERASE = "\r\033[K";

  private final PrintStream out;
  private final boolean visible;
  private long shownAt;
  private boolean shown;

  public ProgressBar(PrintStream out, boolean visible) {
    this.out = out;
    this.visible = visible;
  }

  /**
   * Shows the progress, unless it was shown a moment ago.
   *
   * @param total 0 if it is unknown
   */
  public synchronized void show(String what, long done, long total) {
    long now = System.nanoTime();
    if (!visible || (shown && now - shownAt < APART_NANOS)) {
      return;
    }
    shownAt = now;
    shown = true;
    out.print(ERASE + text(what, done, total));
    out.flush();
  }

  static String text(String what, long done, long total) {
    if (total <= 0) {
      return "%s %,d".formatted(what, done);
    }
    int filled = (int) (Math.min(done, total) * WIDTH / total);
    return "%s [%s%s] %d%% (%,d of %,d)"
        .formatted(
            what,
            "#".repeat(filled),
            ".".repeat(WIDTH - filled),
            Math.min(100, done * 100 / total),
            done,
            total);
  }

  @Override
  public synchronized void close() {
    if (shown) {
      out.print(ERASE);
      out.flush();
      shown = false;
    }
  }
}
