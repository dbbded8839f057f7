package io.asynq4j.cli;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The help of a command: its own options, and where the global ones are told. */
final class HelpPage extends Help {

  private final CommandSpec spec;

  HelpPage(CommandSpec spec, ColorScheme colours) {
    super(spec, colours);
    this.spec = spec;
  }

  @Override
  public String synopsis(int headingLength) {
    String needed =
        spec.options().stream()
            .filter(OptionSpec::required)
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
        + "Global options, such as --redis URL, --context NAME, --output FORMAT, --json, --watch:"
        + System.lineSeparator()
        + "'asynq --help' tells them all."
        + System.lineSeparator();
  }

  /** What is needed first, then in the order in which they were written. */
  private String list(List<OptionSpec> options) {
    List<OptionSpec> neededFirst =
        options.stream()
            .sorted(Comparator.comparing(OptionSpec::required, Comparator.reverseOrder()))
            .toList();
    return optionListExcludingGroups(
            neededFirst, createDefaultLayout(), /* optionSort= */ null, parameterLabelRenderer())
        + optionListGroupSections();
  }

  private static boolean isOwn(OptionSpec option) {
    return !option.inherited() && !option.longestName().equals("--version");
  }
}
