package io.asynq4j.cli.dash.terminal;

import com.googlecode.lanterna.TerminalSize;
import com.googlecode.lanterna.terminal.ansi.UnixTerminal;
import io.asynq4j.cli.dash.screen.ScreenSize;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Terminal of this process in raw mode: no echo, no signals from keys, on the alternate screen. It
 * is always restored, when it is closed or the JVM exits.
 */
final class RawTerminal extends UnixTerminal {

  private static final Pattern SIZE = Pattern.compile("(\\d+) (\\d+)");

  private final Output output;

  private RawTerminal(InputStream input, Output output) throws IOException {
    super(input, output, StandardCharsets.UTF_8, CtrlCBehaviour.TRAP);
    this.output = output;
  }

  static RawTerminal open() throws IOException {
    return new RawTerminal(System.in, new Output(new FileOutputStream(FileDescriptor.out)));
  }

  /**
   * Reads the size from the system. A query to the terminal would mix its answer with the input.
   */
  @Override
  protected TerminalSize findTerminalSize() throws IOException {
    Matcher size = SIZE.matcher(runSTTYCommand("size"));
    boolean isKnown = size.find() && !size.group(1).equals("0") && !size.group(2).equals("0");
    return isKnown
        ? new TerminalSize(Integer.parseInt(size.group(2)), Integer.parseInt(size.group(1)))
        : new TerminalSize(ScreenSize.USUAL.width(), ScreenSize.USUAL.height());
  }

  /**
   * Off: Ctrl-C, Ctrl-Z and Ctrl-S are ordinary keys, and Enter is the same everywhere. On: the
   * saved settings have already been restored.
   */
  @Override
  protected void keyStrokeSignalsEnabled(boolean enabled) throws IOException {
    if (!enabled) {
      runSTTYCommand("-isig", "-ixon", "icrnl");
    }
  }

  /** Also called on JVM shutdown; later output of other threads is dropped. */
  @Override
  public void exitPrivateMode() throws IOException {
    synchronized (output) {
      // Some terminals leave parts of the screen behind if they were resized.
      clearScreen();
      super.exitPrivateMode();
      output.seal();
    }
  }

  @Override
  public void close() {
    try {
      super.close();
    } catch (IOException | IllegalStateException e) {
      // The terminal is gone, or the JVM exits and its hook restores the terminal.
    }
  }

  /** Buffers output until flush and writes it in one piece. */
  private static final class Output extends OutputStream {
    private final OutputStream target;
    private final ByteArrayOutputStream collected = new ByteArrayOutputStream();
    private boolean isSealed;

    Output(OutputStream target) {
      this.target = target;
    }

    synchronized void seal() {
      isSealed = true;
      collected.reset();
    }

    @Override
    public synchronized void write(int b) {
      if (!isSealed) {
        collected.write(b);
      }
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) {
      if (!isSealed) {
        collected.write(bytes, from, length);
      }
    }

    @Override
    public synchronized void flush() throws IOException {
      if (collected.size() > 0) {
        target.write(collected.toByteArray());
        collected.reset();
      }
    }
  }
}
