package io.asynq4j.benchmarks.compare;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A process of the comparison that understands {@link ContenderCommandLoop}. All that is said is
 * kept in a log, and so are its errors. One thread gives orders.
 */
final class ContenderProcess implements AutoCloseable {

  /** When its output has ended. */
  private static final String GONE = "(gone)";

  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration END = Duration.ofSeconds(20);

  private final String name;
  private final Process process;
  private final BufferedWriter orders;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final BufferedWriter log;
  private final String description;

  private ContenderProcess(String name, Process process, BufferedWriter log) {
    this.name = name;
    this.process = process;
    this.orders = process.outputWriter(StandardCharsets.UTF_8);
    this.log = log;
    Thread listener = new Thread(this::listen, "answers-of-" + name);
    listener.setDaemon(true);
    listener.start();
    this.description = await("ready", START);
  }

  /**
   * Starts one, and returns when it is ready.
   *
   * @param log the name of its files, without their ends
   */
  static ContenderProcess start(String name, List<String> command, Path log) {
    try {
      Process process =
          new ProcessBuilder(command).redirectError(Path.of(log + ".err").toFile()).start();
      BufferedWriter writer =
          Files.newBufferedWriter(
              Path.of(log + ".log"), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      try {
        return new ContenderProcess(name, process, writer);
      } catch (RuntimeException e) {
        process.destroyForcibly();
        writer.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + command.get(0), e);
    }
  }

  private void listen() {
    try (log;
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        note(line);
        answers.add(line);
      }
    } catch (IOException e) {
      // It was killed while it spoke.
    } finally {
      answers.add(GONE);
    }
  }

  /** The log is closed when nothing more can be said. */
  private void note(String line) throws IOException {
    synchronized (log) {
      log.write(line);
      log.newLine();
      log.flush();
    }
  }

  /** What it said of itself. */
  String description() {
    return description;
  }

  /** Gives an order and returns the rest of the answer, which begins with a certain word. */
  String ask(String answer, Duration most, Object... order) {
    tell(order);
    return await(answer, most);
  }

  void tell(Object... order) {
    String line = String.join(" ", Arrays.stream(order).map(String::valueOf).toList());
    try {
      note("> " + line);
      orders.write(line);
      orders.newLine();
      orders.flush();
    } catch (IOException e) {
      throw new IllegalStateException(name + " is gone; it was told: " + line, e);
    }
  }

  String await(String answer, Duration most) {
    try {
      String line = answers.poll(most.toMillis(), TimeUnit.MILLISECONDS);
      if (line == null) {
        throw new IllegalStateException(
            "%s did not say '%s' within %d s".formatted(name, answer, most.toSeconds()));
      }
      if (!line.equals(answer) && !line.startsWith(answer + " ")) {
        throw new IllegalStateException("%s said '%s', not '%s'".formatted(name, line, answer));
      }
      return line.substring(answer.length()).strip();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** How many lines it has said that nobody has asked for yet; they are taken note of by this. */
  int unasked() {
    int count = 0;
    while (answers.poll() != null) {
      count++;
    }
    return count;
  }

  /** The time that it has used of all processors. */
  Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Ends it by SIGKILL, and returns when it is gone. */
  void kill() {
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets it end: its input is over. */
  @Override
  public void close() {
    try {
      orders.close();
      if (!process.waitFor(END.toSeconds(), TimeUnit.SECONDS)) {
        kill();
      }
    } catch (IOException e) {
      kill();
    } catch (InterruptedException e) {
      kill();
      Thread.currentThread().interrupt();
    }
  }
}
