package io.asynq4j.benchmarks.compare;

import io.asynq4j.benchmarks.harness.ChildProcess;
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
 * A process of the comparison that implements {@link ContenderCommandLoop}. The dialog and its
 * error output are logged. Commands are sent by one thread.
 */
final class ContenderProcess extends ChildProcess {

  /** Marks the end of the output. */
  private static final String GONE = "(gone)";

  private static final Duration START = Duration.ofSeconds(60);

  private final String name;
  private final BufferedWriter commands;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final BufferedWriter log;
  private final String description;

  private ContenderProcess(String name, Process process, BufferedWriter log) {
    super(process);
    this.name = name;
    this.commands = process.outputWriter(StandardCharsets.UTF_8);
    this.log = log;
    Thread listener = new Thread(this::listen, "answers-of-" + name);
    listener.setDaemon(true);
    listener.start();
    this.description = await("ready", START);
  }

  /**
   * Starts a process and waits until it is ready.
   *
   * @param log path of the log files, without extension
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
        log(line);
        answers.add(line);
      }
    } catch (IOException e) {
      // The process was killed while it was writing.
    } finally {
      answers.add(GONE);
    }
  }

  /** The log is closed after the last line. */
  private void log(String line) throws IOException {
    synchronized (log) {
      log.write(line);
      log.newLine();
      log.flush();
    }
  }

  /** Description that the process reported. */
  String description() {
    return description;
  }

  /** Sends a command and returns the answer without its first word, which must match. */
  String request(String answer, Duration timeout, Object... command) {
    send(command);
    return await(answer, timeout);
  }

  void send(Object... command) {
    String line = String.join(" ", Arrays.stream(command).map(String::valueOf).toList());
    try {
      log("> " + line);
      commands.write(line);
      commands.newLine();
      commands.flush();
    } catch (IOException e) {
      throw new IllegalStateException(name + " has ended; the last command was: " + line, e);
    }
  }

  String await(String answer, Duration timeout) {
    try {
      String line = answers.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
      if (line == null) {
        throw new IllegalStateException(
            "%s did not answer '%s' within %d s".formatted(name, answer, timeout.toSeconds()));
      }
      if (!line.equals(answer) && !line.startsWith(answer + " ")) {
        throw new IllegalStateException("%s answered '%s', not '%s'".formatted(name, line, answer));
      }
      return line.substring(answer.length()).strip();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Consumes the lines that were received without a command, and returns their number. */
  int unrequested() {
    int count = 0;
    while (answers.poll() != null) {
      count++;
    }
    return count;
  }
}
