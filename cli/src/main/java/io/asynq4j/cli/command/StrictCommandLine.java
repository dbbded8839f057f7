package io.asynq4j.cli.command;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Accepts any value after an equals sign, including one that looks like an option. Without the
 * equals sign it reports a missing value; picocli does so in both cases.
 */
public final class StrictCommandLine extends CommandLine {

  public StrictCommandLine(Object root) {
    super(root);
    setAllowOptionsAsOptionParameters(true);
  }

  @Override
  public ParseResult parseArgs(String... arguments) {
    requireValues(new ArrayDeque<>(List.of(arguments)));
    return super.parseArgs(arguments);
  }

  private void requireValues(Deque<String> words) {
    CommandLine command = this;
    while (!words.isEmpty()) {
      String word = words.pop();
      if (word.equals("--")) {
        return;
      }
      OptionSpec option = command.getCommandSpec().optionsMap().get(word);
      if (option == null) {
        command = command.getSubcommands().getOrDefault(word, command);
      } else if (option.arity().min() > 0 && !words.isEmpty()) {
        String value = words.pop();
        if (isOption(command.getCommandSpec(), value)) {
          throw new OptionAsValueException(command, word, value);
        }
      }
    }
  }

  private static boolean isOption(CommandSpec command, String word) {
    return command.optionsMap().containsKey(word.split("=", 2)[0]);
  }
}
