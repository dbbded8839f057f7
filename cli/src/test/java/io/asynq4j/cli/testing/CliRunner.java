package io.asynq4j.cli.testing;

import io.asynq4j.cli.Asynq;
import io.asynq4j.cli.command.CliEnvironment;
import io.asynq4j.cli.output.JsonReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The command within this process, with its own variables, home, keyboard and terminal. */
public final class CliRunner {

  private final Map<String, String> variables = new HashMap<>();
  private final Path home;
  private String typed = "";
  private boolean keyboard;
  private boolean terminal;
  private int columns;

  public CliRunner(Path home) {
    this.home = home;
  }

  /** The result of a command. */
  public record Answer(int exitCode, String out, String err) {

    /** Its output as JSON. */
    public List<?> list() {
      return (List<?>) Objects.requireNonNull(JsonReader.read(out));
    }
  }

  public CliRunner variable(String name, String value) {
    variables.put(name, value);
    return this;
  }

  public CliRunner input(String text) {
    typed = text;
    return this;
  }

  /** Types this on the keyboard. */
  public CliRunner typing(String text) {
    typed = text;
    keyboard = true;
    return this;
  }

  public CliRunner onTerminal(int width) {
    terminal = true;
    columns = width;
    return this;
  }

  public Answer run(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exitCode = Asynq.commandLine(environment(out, err)).execute(arguments);
    return new Answer(exitCode, text(out), text(err));
  }

  public CliEnvironment environment(ByteArrayOutputStream out, ByteArrayOutputStream err) {
    return new CliEnvironment(
        "asynq",
        variables,
        home,
        new ByteArrayInputStream(typed.getBytes(StandardCharsets.UTF_8)),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        keyboard,
        terminal,
        terminal,
        columns);
  }

  public static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
  }
}
