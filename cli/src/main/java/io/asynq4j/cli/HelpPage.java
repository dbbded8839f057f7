package io.asynq4j.cli;

import io.asynq4j.cli.command.CommandGroup;
import io.asynq4j.cli.command.LocalCommand;
import io.asynq4j.cli.command.ReadOnlyCommand;
import io.asynq4j.cli.command.RedisCommand;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Help page of a command: lists its own options and refers to the page of the root command for
 * global options and exit codes.
 */
final class HelpPage extends Help {

  private final CommandSpec spec;

  HelpPage(CommandSpec spec, ColorScheme colors) {
    super(spec, colors);
    this.spec = spec;
  }

  @Override
  public String synopsis(int headingLength) {
    String needed =
        spec.options().stream()
            .filter(HelpPage::isNeeded)
            .map(option -> " " + option.names()[0] + " " + option.paramLabel())
            .collect(Collectors.joining());
    String synopsis = abbreviatedSynopsis().replace(" [OPTIONS]", needed + " [OPTIONS]");
    // A command that runs by itself does not require one of its subcommands.
    return spec.userObject() instanceof CommandGroup
        ? synopsis
        : synopsis.replace(" COMMAND", " [COMMAND]");
  }

  @Override
  public String descriptionHeading(Object... parameters) {
    return System.lineSeparator();
  }

  @Override
  public String parameterListHeading(Object... parameters) {
    return spec.positionalParameters().isEmpty() ? "" : System.lineSeparator();
  }

  @Override
  public String optionListHeading(Object... parameters) {
    return spec.positionalParameters().isEmpty() ? System.lineSeparator() : "";
  }

  @Override
  public String commandListHeading(Object... parameters) {
    String heading = super.commandListHeading(parameters);
    return spec.subcommands().isEmpty() ? "" : System.lineSeparator() + heading;
  }

  @Override
  public String optionList() {
    if (spec.parent() == null) {
      return list(spec.options());
    }
    return list(spec.options().stream().filter(this::isOwn).toList())
        + System.lineSeparator()
        + globalOptions()
        + System.lineSeparator();
  }

  /** Names only options that have an effect on the command. */
  private String globalOptions() {
    if (spec.userObject() instanceof LocalCommand local && local.connects()) {
      return "Run 'asynq --help' for --redis URL, other global options and the exit codes.";
    }
    if (!hasCommand(RedisCommand.class)) {
      return "Run 'asynq --help' for the global options and the exit codes.";
    }
    return "Global options include --redis URL, --context NAME, --output FORMAT%s."
            .formatted(hasCommand(ReadOnlyCommand.class) ? ", --json and --watch" : " and --json")
        + System.lineSeparator()
        + "Run 'asynq --help' for all of them and for the exit codes.";
  }

  /** Returns whether the command, or a subcommand of the group, is of this kind. */
  private boolean hasCommand(Class<?> kind) {
    return kind.isInstance(spec.userObject())
        || (spec.userObject() instanceof CommandGroup
            && spec.subcommands().values().stream()
                .anyMatch(command -> kind.isInstance(command.getCommandSpec().userObject())));
  }

  @Override
  public String exitCodeListHeading(Object... parameters) {
    return spec.parent() == null ? super.exitCodeListHeading(parameters) : "";
  }

  @Override
  public String exitCodeList() {
    return spec.parent() == null ? super.exitCodeList() : "";
  }

  /** Required options first, the others in declaration order, --help and --version last. */
  private String list(List<OptionSpec> options) {
    List<OptionSpec> neededFirst =
        options.stream()
            .sorted(
                Comparator.comparing(HelpPage::isNeeded, Comparator.reverseOrder())
                    .thenComparing(option -> option.usageHelp() || option.versionHelp()))
            .toList();
    return optionListExcludingGroups(
            neededFirst, createDefaultLayout(), /* optionSort= */ null, parameterLabelRenderer())
        + optionListGroupSections();
  }

  /** Options of an exclusive group are required only within the group. */
  private static boolean isNeeded(OptionSpec option) {
    return option.required() && option.group() == null;
  }

  /** A global option that means something else in this command is one of its own. */
  private boolean isOwn(OptionSpec option) {
    OptionSpec global = spec.root().findOption(option.longestName());
    return (!option.inherited()
            || (global != null && !Arrays.equals(option.description(), global.description())))
        && !option.longestName().equals("--version");
  }
}
