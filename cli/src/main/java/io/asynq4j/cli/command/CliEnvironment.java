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
 * Environment of the process: variables, files and the terminal. Immutable.
 *
 * @param program name the command was started with, used in commands that are printed to be copied
 * @param variables environment variables
 * @param home directory of the configuration file
 * @param keyboard whether the input is a terminal
 * @param terminal whether the output is a terminal
 * @param progress whether the error output is a terminal
 * @param columns width of the terminal in characters; 0 if there is none
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

  /** The launcher detects terminals, because not all versions of Java can. */
  private static final String PREFIX = "asynq4j.";

  private static final int USUAL_COLUMNS = 80;

  public CliEnvironment {
    variables = Map.copyOf(variables);
  }

  /** Environment of this process. */
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
   * Reads HOME as other programs do. Java asks the system, which may not know the user in a
   * container.
   */
  static Path home(Map<String, String> variables) {
    String value = variables.getOrDefault("HOME", "");
    return Path.of(value.isEmpty() ? System.getProperty("user.home") : value);
  }

  private static boolean flag(String name) {
    String value = System.getProperty(PREFIX + name);
    return value == null ? isConsole() : Boolean.parseBoolean(value);
  }

  /** Since Java 22 there is a console without a terminal too, and it reports which one it is. */
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

  /** Whether to use colors, before the flag is considered. */
  public boolean useColors() {
    return terminal
        && variables.getOrDefault("NO_COLOR", "").isEmpty()
        && !variables.getOrDefault("TERM", "").equals("dumb");
  }
}
