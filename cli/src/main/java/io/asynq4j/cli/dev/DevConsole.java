package io.asynq4j.cli.dev;

import io.asynq4j.cli.command.CliEnvironment;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;

/**
 * Console with a status line below the output: redrawn in place on a terminal, else printed as a
 * line. Thread-safe.
 */
final class DevConsole {

  private static final String ERASE = "\r\033[K";

  private final PrintStream out;
  private final boolean inPlace;
  private String status = "";

  DevConsole(PrintStream out, boolean inPlace) {
    this.out = out;
    this.inPlace = inPlace;
  }

  /**
   * Console on the output of the process. Other output to stderr is printed above the status line.
   */
  static DevConsole open(CliEnvironment environment) {
    DevConsole screen = new DevConsole(environment.out(), environment.terminal());
    if (screen.inPlace) {
      System.setErr(
          new PrintStream(
              screen.new AboveStatus(System.err), /* autoFlush= */ true, Charset.defaultCharset()));
    }
    return screen;
  }

  boolean inPlace() {
    return inPlace;
  }

  synchronized void line(String text) {
    erase();
    out.println(text);
    out.flush();
  }

  synchronized void status(String text) {
    if (inPlace) {
      erase();
      out.print(text);
      out.flush();
      status = text;
    } else {
      line(text);
    }
  }

  private void erase() {
    if (!status.isEmpty()) {
      out.print(ERASE);
      out.flush();
      status = "";
    }
  }

  /** Erases the status line before other output; the next update draws it again. */
  private final class AboveStatus extends FilterOutputStream {
    AboveStatus(OutputStream target) {
      super(target);
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      synchronized (DevConsole.this) {
        erase();
        out.write(bytes, from, length);
        out.flush();
      }
    }
  }
}
