package io.asynq4j.cli;

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
    return abbreviatedSynopsis().replace(" [OPTIONS]", needed + " [OPTIONS]");
  }

  @Override
  public String optionList() {
    if (spec.parent() == null) {
      return list(spec.options());
    }
    return list(spec.options().stream().filter(HelpPage::isOwn).toList())
        + System.lineSeparator()
        + "Global options include --redis URL, --context NAME, --output FORMAT, --json and --watch."
        + System.lineSeparator()
        + "Run 'asynq --help' for all of them and for the exit codes."
        + System.lineSeparator();
  }

  @Override
  public String exitCodeListHeading(Object... parameters) {
    return spec.parent() == null ? super.exitCodeListHeading(parameters) : "";
  }

  @Override
  public String exitCodeList() {
    return spec.parent() == null ? super.exitCodeList() : "";
  }

  /** Required options first, the others in declaration order. */
  private String list(List<OptionSpec> options) {
    List<OptionSpec> neededFirst =
        options.stream()
            .sorted(Comparator.comparing(HelpPage::isNeeded, Comparator.reverseOrder()))
            .toList();
    return optionListExcludingGroups(
            neededFirst, createDefaultLayout(), /* optionSort= */ null, parameterLabelRenderer())
        + optionListGroupSections();
  }

  /** Options of an exclusive group are required only within the group. */
  private static boolean isNeeded(OptionSpec option) {
    return option.required() && option.group() == null;
  }

  private static boolean isOwn(OptionSpec option) {
    return !option.inherited() && !option.longestName().equals("--version");
  }
}
