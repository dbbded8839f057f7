package io.asynq4j.cli.command;

import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/**
 * What a process finds around it: variables, files, and the terminal. Immutable.
 *
 * @param program how the command is called here, for what is shown to be copied
 * @param variables of the environment
 * @param home where the configuration file is
 * @param keyboard whether a person types the input
 * @param terminal whether a person sees the output
 * @param progress whether a person sees the error output
 * @param columns how wide the terminal is; 0 when there is none
 */
public record CliEnvironment(
    String program,
    Map<String, String> variables,
    Path home,
    InputStream in,
    PrintStream out,
    PrintStream err,
    boolean keyboard,
    boolean terminal,
    boolean progress,
    int columns) {

  /** The launcher knows what is a terminal; Java does not tell on all versions. */
  private static final String PREFIX = "asynq4j.";

  private static final int USUAL_COLUMNS = 80;

  public CliEnvironment {
    variables = Map.copyOf(variables);
  }

  /** Those of this process. */
  public static CliEnvironment ofProcess() {
    boolean terminal = flag("terminal");
    return new CliEnvironment(
        System.getProperty(PREFIX + "program", "asynq"),
        System.getenv(),
        home(System.getenv()),
        System.in,
        new PrintStream(
            new FileOutputStream(FileDescriptor.out),
            /* autoFlush= */ true,
            StandardCharsets.UTF_8),
        new PrintStream(
            new FileOutputStream(FileDescriptor.err),
            /* autoFlush= */ true,
            StandardCharsets.UTF_8),
        flag("keyboard"),
        terminal,
        flag("progress"),
        terminal ? Integer.getInteger(PREFIX + "columns", USUAL_COLUMNS) : 0);
  }

  /**
   * As other programs find it; Java asks the system, which may know no such user in a container.
   */
  static Path home(Map<String, String> variables) {
    String told = variables.getOrDefault("HOME", "");
    return Path.of(told.isEmpty() ? System.getProperty("user.home") : told);
  }

  private static boolean flag(String name) {
    String told = System.getProperty(PREFIX + name);
    return told == null ? isConsole() : Boolean.parseBoolean(told);
  }

  /** Since 22 there is a console also where there is no terminal, which it tells then. */
  @SuppressWarnings("SystemConsoleNull")
  private static boolean isConsole() {
    Console console = System.console();
    if (console == null || Runtime.version().feature() < 22) {
      return console != null;
    }
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  public boolean isWindows() {
    return System.getProperty("os.name", "").startsWith("Windows");
  }

  /** Whether colours are wanted, unless a flag says no. */
  public boolean colours() {
    return terminal
        && variables.getOrDefault("NO_COLOR", "").isEmpty()
        && !variables.getOrDefault("TERM", "").equals("dumb");
  }
}
