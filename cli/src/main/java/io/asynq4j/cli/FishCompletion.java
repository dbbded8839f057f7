package io.asynq4j.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The script that completes commands in fish. */
final class FishCompletion {

  private final StringBuilder script = new StringBuilder();

  private FishCompletion() {}

  static String of(CommandSpec root) {
    FishCompletion completion = new FishCompletion();
    completion
        .script
        .append("# Completes asynq in fish; made by: asynq completion fish\n")
        .append("complete -c asynq -f\n");
    completion.add(root, List.of());
    return completion.script.toString();
  }

  /**
   * @param path the names of a command, each with its aliases
   */
  private void add(CommandSpec command, List<List<String>> path) {
    Map<CommandSpec, List<String>> below = new LinkedHashMap<>();
    for (CommandLine each : command.subcommands().values()) {
      CommandSpec spec = each.getCommandSpec();
      if (!spec.usageMessage().hidden()) {
        List<String> names = new ArrayList<>(List.of(spec.name()));
        names.addAll(List.of(spec.aliases()));
        below.put(spec, names);
      }
    }
    List<String> deeper = below.values().stream().flatMap(List::stream).toList();
    below.forEach(
        (spec, names) ->
            line(
                path,
                deeper,
                "-a '%s'%s".formatted(names.get(0), described(spec.usageMessage().description()))));
    for (OptionSpec option : command.options()) {
      // Global options are told once, for all commands.
      if (!option.hidden() && !option.inherited()) {
        line(path, List.of(), option(option));
      }
    }
    for (PositionalParamSpec parameter : command.positionalParameters()) {
      if (parameter.completionCandidates() != null) {
        line(path, List.of(), "-a '" + String.join(" ", parameter.completionCandidates()) + "'");
      }
    }
    below.forEach(
        (spec, names) -> {
          List<List<String>> longer = new ArrayList<>(path);
          longer.add(names);
          add(spec, longer);
        });
  }

  private void line(List<List<String>> path, List<String> notYet, String what) {
    List<String> conditions = new ArrayList<>();
    path.forEach(names -> conditions.add("__fish_seen_subcommand_from " + String.join(" ", names)));
    if (!notYet.isEmpty()) {
      conditions.add("not __fish_seen_subcommand_from " + String.join(" ", notYet));
    }
    script.append("complete -c asynq ");
    if (!conditions.isEmpty()) {
      script.append("-n '").append(String.join("; and ", conditions)).append("' ");
    }
    script.append(what).append('\n');
  }

  private static String option(OptionSpec option) {
    String names =
        Arrays.stream(option.names())
            .map(
                name ->
                    name.startsWith("--") ? "-l " + name.substring(2) : "-s " + name.substring(1))
            .collect(Collectors.joining(" "));
    return names + value(option) + described(option.description());
  }

  /** What may follow: one of some words, a file, or anything. */
  private static String value(OptionSpec option) {
    if (option.arity().max() == 0) {
      return "";
    } else if (option.completionCandidates() != null) {
      return " -x -a '" + String.join(" ", option.completionCandidates()) + "'";
    } else if (option.type().equals(Path.class) || option.paramLabel().equals("FILE")) {
      return " -r -F";
    }
    return option.arity().min() > 0 ? " -x" : "";
  }

  private static String described(String[] lines) {
    String text =
        String.join(" ", lines).replace("%n", "").replaceAll("[.:;].*", "").replace("'", "");
    return text.isEmpty() ? "" : " -d '" + text + "'";
  }
}
