package io.asynq4j.cli;

import io.asynq4j.cli.dash.DashCommand;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code asynq} command: reads what is asked for and has it done. */
@Command(
    name = "asynq",
    description = "A distributed task queue on Redis that speaks asynq's protocol.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = Asynq.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed; the error says why and what to do",
      "2:the command line was not understood",
      "130:ended at once by a second Ctrl-C"
    },
    footer = {"", "Begin with:  ./asynq dev", "More about a command:  ./asynq COMMAND --help"},
    subcommands = {DevCommand.class, BenchCommand.class, DashCommand.class})
public final class Asynq implements Runnable {

  @Spec private CommandSpec spec;

  // Filled in by picocli.
  @SuppressWarnings("NullAway.Init")
  Asynq() {}

  /** Ends the process with the exit code of the command. */
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Asynq())
        .setExecutionExceptionHandler(
            (failure, command, result) -> {
              command.getErr().println("asynq: " + failure.getMessage());
              return CommandLine.ExitCode.SOFTWARE;
            });
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Which command? These are there:");
  }

  /** The version that the build wrote into the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Asynq.class.getPackage().getImplementationVersion();
      return new String[] {
        "asynq4j " + Optional.ofNullable(version).orElse("(not packaged)"),
        "Java " + Runtime.version()
      };
    }
  }
}
