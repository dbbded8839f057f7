package io.asynq4j.cli;

import io.asynq4j.cli.command.CliEnvironment;
import io.asynq4j.cli.command.CommandGroup;
import io.asynq4j.cli.command.ErrorReporter;
import io.asynq4j.cli.command.GlobalOptions;
import io.asynq4j.cli.command.LocalCommand;
import io.asynq4j.cli.command.OptionConverters;
import io.asynq4j.cli.command.StrictCommandLine;
import io.asynq4j.cli.context.ContextCommand;
import io.asynq4j.cli.cron.CronCommand;
import io.asynq4j.cli.dash.DashCommand;
import io.asynq4j.cli.dashboard.DashboardCommand;
import io.asynq4j.cli.dashboard.ExporterCommand;
import io.asynq4j.cli.dev.DevCommand;
import io.asynq4j.cli.queue.GroupCommand;
import io.asynq4j.cli.queue.QueueCommand;
import io.asynq4j.cli.queue.StatsCommand;
import io.asynq4j.cli.server.ServerCommand;
import io.asynq4j.cli.task.TaskCommand;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.ScopeType;

/** Entry point of the {@code asynq} command: parses the arguments and runs a subcommand. */
@Command(
    name = "asynq",
    description =
        "Manage asynq4j, a distributed task queue on Redis that is compatible with asynq for Go.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = VersionProvider.class,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:success",
      "1:the command failed, entirely or in part; the error names the cause and the next step",
      "2:invalid command line",
      "3:queue, task, server, schedule entry or context not found",
      "4:cannot connect to Redis",
      "130:interrupted by Ctrl-C"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq stats",
      "  asynq task enqueue --type email:welcome --payload '{\"user\": 42}'",
      "  asynq queue list --json --redis redis://localhost:6379",
      "",
      "Run 'asynq dev' to start a local Redis and a demo server. Run 'asynq COMMAND --help' for details",
      "about a command."
    },
    subcommands = {
      DevCommand.class,
      DashCommand.class,
      DashboardCommand.class,
      ServeCommand.class,
      StatsCommand.class,
      QueueCommand.class,
      GroupCommand.class,
      TaskCommand.class,
      ServerCommand.class,
      CronCommand.class,
      DoctorCommand.class,
      ExporterCommand.class,
      ContextCommand.class,
      BenchCommand.class,
      CompletionCommand.class,
      VersionCommand.class,
      WarmUpCommand.class,
      HelpCommand.class
    })
public final class Asynq extends CommandGroup {

  @Mixin(name = GlobalOptions.NAME)
  private final GlobalOptions globals;

  private Asynq(CliEnvironment environment) {
    this.globals = new GlobalOptions(environment);
  }

  /** Exits the process with the exit code of the command. */
  public static void main(String[] arguments) {
    System.exit(commandLine(CliEnvironment.ofProcess()).execute(arguments));
  }

  public static CommandLine commandLine(CliEnvironment environment) {
    Asynq root = new Asynq(environment);
    ErrorReporter errorReporter = new ErrorReporter(environment);
    CommandLine commands = new StrictCommandLine(root);
    OptionConverters.register(commands);
    describeHelp(Objects.requireNonNull(commands.getSubcommands().get("help")).getCommandSpec());
    describe(
        Objects.requireNonNull(commands.getSubcommands().get("serve")).getCommandSpec(),
        "--config",
        ServeCommand.CONFIG);
    return commands
        .setOut(writer(environment.out()))
        .setErr(writer(environment.err()))
        .setColorScheme(
            Help.defaultColorScheme(root.globals.useColors() ? Help.Ansi.ON : Help.Ansi.OFF))
        .setHelpFactory(HelpPage::new)
        // A value that starts with @ names a payload file, not a file with more arguments.
        .setExpandAtFiles(false)
        .setUsageHelpWidth(100)
        .setExecutionStrategy(root::execute)
        .setExecutionExceptionHandler(errorReporter)
        .setParameterExceptionHandler(errorReporter);
  }

  /** Replaces the texts of picocli, and the examples that the command inherits from the root. */
  private static void describeHelp(CommandSpec help) {
    help.usageMessage()
        .header(new String[0])
        .synopsisHeading("Usage: ")
        .description("Show the help page of a command.")
        .footer("  asynq help stats");
    PositionalParamSpec command = help.positionalParameters().get(0);
    help.remove(command);
    help.addPositional(
        PositionalParamSpec.builder(command)
            .description("Name of the command. Default: show all commands.")
            .build());
    describe(help, "--help", "Show this help message and exit.");
  }

  /** Replaces the description of an option that the command has not declared itself. */
  private static void describe(CommandSpec command, String name, String description) {
    OptionSpec option = Objects.requireNonNull(command.findOption(name));
    command.remove(option);
    command.addOption(OptionSpec.builder(option).description(description).build());
  }

  private int execute(ParseResult parsed) {
    List<CommandLine> named = parsed.asCommandLineList();
    CommandLine last = named.get(named.size() - 1);
    boolean isHelp =
        named.stream()
            .anyMatch(each -> each.isUsageHelpRequested() || each.isVersionHelpRequested());
    if (globals.watch() != null && !isHelp && last.getCommand() instanceof LocalCommand) {
      throw new ParameterException(
          last, "'%s' does not support --watch".formatted(last.getCommandSpec().qualifiedName()));
    }
    return new RunLast().execute(parsed);
  }

  private static PrintWriter writer(PrintStream out) {
    return new PrintWriter(
        new OutputStreamWriter(out, StandardCharsets.UTF_8), /* autoFlush= */ true);
  }
}
