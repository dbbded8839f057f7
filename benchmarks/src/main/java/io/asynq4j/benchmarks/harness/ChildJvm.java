package io.asynq4j.benchmarks.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a main class of this class path in a child process. */
public final class ChildJvm implements AutoCloseable {

  private final Process process;
  private final BufferedReader output;

  private ChildJvm(Process process) {
    this.process = process;
    this.output = process.inputReader(StandardCharsets.UTF_8);
  }

  public static ChildJvm start(Class<?> main, List<String> arguments) {
    return start(Path.of(System.getProperty("java.home")), main, arguments);
  }

  public static ChildJvm start(Path javaHome, Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(javaHome.resolve("bin").resolve("java").toString());
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(arguments);
    try {
      return new ChildJvm(
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + command.get(0), e);
    }
  }

  public BufferedReader output() {
    return output;
  }

  public void awaitLine(String expected) {
    try {
      String line = output.readLine();
      if (!expected.equals(line)) {
        throw new IllegalStateException("the child process answered " + line + ", not " + expected);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the output of the child process", e);
    }
  }

  void say(String line) {
    try {
      process.outputWriter(StandardCharsets.UTF_8).append(line).append('\n').flush();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write to the child process", e);
    }
  }

  /** CPU time used so far. */
  public Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Kills the process and waits until it has ended. */
  public void kill() {
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Closes the input, so that the process ends. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
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
