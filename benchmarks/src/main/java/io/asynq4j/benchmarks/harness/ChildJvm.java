package io.asynq4j.benchmarks.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a main class of this class path in a child process. */
public final class ChildJvm extends ChildProcess {

  private final BufferedReader output;

  private ChildJvm(Process process) {
    super(process);
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

  void writeLine(String line) {
    try {
      process.outputWriter(StandardCharsets.UTF_8).append(line).append('\n').flush();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write to the child process", e);
    }
  }
}
