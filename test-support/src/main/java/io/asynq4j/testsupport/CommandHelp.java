package io.asynq4j.testsupport;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Tracer;

/** Help pages of a picocli command and all its subcommands. */
public final class CommandHelp {

  private CommandHelp() {}

  /** Returns all commands by their qualified names, including hidden ones. */
  public static Map<String, CommandLine> commands(CommandLine root) {
    Map<String, CommandLine> commands = new LinkedHashMap<>();
    collect(root, commands);
    return commands;
  }

  private static void collect(CommandLine command, Map<String, CommandLine> commands) {
    commands.put(command.getCommandSpec().qualifiedName(), command);
    new LinkedHashSet<>(command.getSubcommands().values()).forEach(each -> collect(each, commands));
  }

  /**
   * Builds the commands, renders the help of each, and returns the warnings that picocli prints.
   * Picocli writes them to the current error stream, or to the one that it found when it was
   * loaded, so this replaces both during the call.
   */
  public static List<String> warnings(Supplier<CommandLine> root)
      throws ReflectiveOperationException {
    Tracer tracer = CommandLine.tracer();
    Field stream = Tracer.class.getDeclaredField("stream");
    stream.setAccessible(true);
    Object usual = stream.get(tracer);
    PrintStream err = System.err;
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    PrintStream replacement =
        new PrintStream(written, /* autoFlush= */ true, StandardCharsets.UTF_8);
    stream.set(tracer, replacement);
    System.setErr(replacement);
    try {
      commands(root.get()).values().forEach(CommandLine::getUsageMessage);
    } finally {
      System.setErr(err);
      stream.set(tracer, usual);
    }
    return written.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
