package io.asynq4j.cli;

import io.asynq4j.cli.command.CliEnvironment;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.LocalCommand;
import io.asynq4j.cli.output.JsonReader;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/**
 * Loads the classes that commands need and prints nothing. The launcher runs it while the JVM
 * writes its class-data archive, so that later runs start faster.
 */
@Command(name = "warm-up", hidden = true, description = "Used by the launcher.")
final class WarmUpCommand extends LocalCommand {

  /** No process listens on this port. */
  private static final String NOWHERE = "redis://127.0.0.1:1?retryFor=0s";

  private static final List<List<String>> COMMANDS =
      List.of(
          List.of("--help"),
          List.of("task", "enqueue", "--help"),
          List.of("version", "--json"),
          List.of("context", "list"),
          List.of("stats", "--redis", NOWHERE),
          List.of("task", "deletall"),
          List.of("queue", "pause"));

  @Override
  public Integer call() {
    CliEnvironment real = environment();
    PrintStream nothing =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    CliEnvironment quiet =
        new CliEnvironment(
            real.program(),
            Map.of(),
            real.home(),
            InputStream.nullInputStream(),
            nothing,
            nothing,
            /* keyboard= */ false,
            /* terminal= */ true,
            /* progress= */ false,
            /* columns= */ 80);
    COMMANDS.forEach(command -> Asynq.commandLine(quiet).execute(command.toArray(String[]::new)));
    JsonReader.read("{\"a\": [1, true, null]}");
    return ExitCode.DONE;
  }
}
