package io.asynq4j.cli.command;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.ScheduleNotFoundException;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskStateException;
import io.asynq4j.cli.settings.UnknownContextException;
import io.asynq4j.inspect.QueueNotEmptyException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints an error with the next step to the error output, and maps it to an exit code. */
public final class ErrorReporter implements IExecutionExceptionHandler, IParameterExceptionHandler {

  private static final Pattern ENUM_MISMATCH =
      Pattern.compile("expected one of \\[(.*)] \\(case-insensitive\\) but was '(.*)'");

  private static final Pattern FIRST_WORD = Pattern.compile("[a-z]+ ");

  private final CliEnvironment environment;

  public ErrorReporter(CliEnvironment environment) {
    this.environment = environment;
  }

  @Override
  public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
    if (failure instanceof ParameterException misuse) {
      return handleParseException(misuse, new String[0]);
    }
    if (environment.variables().containsKey("ASYNQ_DEBUG")) {
      failure.printStackTrace(environment.err());
    }
    CliException known = failure instanceof CliException itself ? itself : known(failure);
    String next = known.nextStep();
    report(
        String.valueOf(known.getMessage()),
        next == null && known.exitCode() == ExitCode.USAGE ? help(command) : next);
    return known.exitCode();
  }

  private static CliException known(Exception failure) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof QueueNotFoundException) {
      return CliException.notFound(message, "Run 'asynq queue list' to list all queues.");
    } else if (failure instanceof TaskNotFoundException) {
      return CliException.notFound(
          message,
          "Completed tasks are deleted when their retention ends."
              + " Run 'asynq task search --id PREFIX' to search all queues.");
    } else if (failure instanceof TaskStateException) {
      return CliException.failed(
          message, "Run 'asynq task explain ID' to see the state of the task.");
    } else if (failure instanceof ScheduleNotFoundException) {
      return CliException.notFound(message, "Run 'asynq cron list' to list all entries.");
    } else if (failure instanceof UnknownContextException) {
      return CliException.notFound(
          message, "Run 'asynq context set NAME --redis URL' to create a context.");
    } else if (failure instanceof QueueNotEmptyException) {
      return CliException.failed(
          message, "Run 'asynq queue remove --force' to delete the queue with its tasks.");
    } else if (failure instanceof BrokerUnavailableException) {
      return CliException.cannotConnect(message, "Check that Redis is running, then try again.");
    } else if (failure instanceof BrokerException) {
      return CliException.failed(
          message, "Run 'asynq doctor' to check the data in Redis, and look into the Redis log.");
    } else if (failure instanceof IllegalArgumentException) {
      return CliException.usage(message, null);
    }
    boolean isExpected = failure.getClass().getName().startsWith("io.asynq4j.");
    return isExpected || failure instanceof UncheckedIOException
        ? CliException.failed(message, null)
        : CliException.failed(
            failure.getClass().getSimpleName() + ": " + message,
            "This is a bug. Set ASYNQ_DEBUG=1 to print the stack trace, and report it.");
  }

  @Override
  public int handleParseException(ParameterException misuse, String[] arguments) {
    String help = help(misuse.getCommandLine());
    if (misuse instanceof UnmatchedArgumentException unmatched) {
      report(unknown(unmatched), suggestion(unmatched) + help);
    } else if (misuse instanceof OptionAsValueException known) {
      report(String.valueOf(known.getMessage()), known.nextStep() + help);
    } else {
      report(
          ENUM_MISMATCH
              .matcher(nameAsTyped(misuse, arguments))
              .replaceAll(
                  match ->
                      Matcher.quoteReplacement(
                          "'%s' is not one of %s"
                              .formatted(match.group(2), match.group(1).toLowerCase(Locale.ROOT)))),
          help);
    }
    return ExitCode.USAGE;
  }

  /** Picocli names an option by its longest alias, which the user may not know. */
  private static String nameAsTyped(ParameterException misuse, String[] arguments) {
    String message =
        String.valueOf(misuse.getMessage())
            .replaceFirst("' is not an? (int|long)$", "' is not a whole number")
            .replaceFirst("' is not a boolean$", "' is not true or false");
    if (!(argumentOf(misuse) instanceof OptionSpec option)) {
      return message;
    }
    List<String> names = List.of(option.names());
    String typed = option.longestName();
    for (int i = 0; i < arguments.length; i++) {
      String[] parts = arguments[i].split("=", 2);
      if (names.contains(parts[0])) {
        typed = parts[0];
        String value =
            parts.length == 2 ? parts[1] : i + 1 < arguments.length ? arguments[i + 1] : "";
        if (value.equals(misuse.getValue())) {
          break;
        }
      }
    }
    return message.replace("'" + option.longestName() + "'", "'" + typed + "'");
  }

  private static @Nullable ArgSpec argumentOf(ParameterException misuse) {
    if (misuse instanceof MissingParameterException missing && !missing.getMissing().isEmpty()) {
      return missing.getMissing().get(0);
    }
    return misuse instanceof OverwrittenOptionException repeated
        ? repeated.getOverwritten()
        : misuse.getArgSpec();
  }

  private static String suggestion(UnmatchedArgumentException unmatched) {
    List<String> similar = similar(unmatched);
    if (!similar.isEmpty()) {
      return "Did you mean " + String.join(" or ", similar) + "? ";
    }
    boolean takesWords =
        !unmatched.getCommandLine().getCommandSpec().positionalParameters().isEmpty();
    return takesWords && unmatched.getUnmatched().get(0).startsWith("-")
        ? "Write -- before an argument that starts with -. "
        : "";
  }

  /** By edit distance. Picocli compares sets of letters and would suggest "stats" for "tsak". */
  private static List<String> similar(UnmatchedArgumentException unmatched) {
    String word = unmatched.getUnmatched().get(0);
    CommandLine command = unmatched.getCommandLine();
    Set<String> known =
        word.startsWith("-")
            ? command.getCommandSpec().optionsMap().keySet()
            : command.getSubcommands().keySet();
    return SpellingSuggestions.nearest(word, known);
  }

  private static String unknown(UnmatchedArgumentException unmatched) {
    String word = unmatched.getUnmatched().get(0);
    CommandLine command = unmatched.getCommandLine();
    if (word.startsWith("-")) {
      return "Unknown option %s for '%s'".formatted(word, command.getCommandSpec().qualifiedName());
    }
    return command.getSubcommands().isEmpty()
        ? "Unexpected argument %s for '%s'"
            .formatted(word, command.getCommandSpec().qualifiedName())
        : "Unknown command %s for '%s'".formatted(word, command.getCommandSpec().qualifiedName());
  }

  private static String help(CommandLine command) {
    return "Run '" + command.getCommandSpec().qualifiedName() + " --help' for usage.";
  }

  /** Messages of the library start in lower case; names and options keep their spelling. */
  private static String capitalized(String sentence) {
    return FIRST_WORD.matcher(sentence).lookingAt()
        ? Character.toUpperCase(sentence.charAt(0)) + sentence.substring(1)
        : sentence;
  }

  private void report(String problem, @Nullable String nextStep) {
    PrintStream err = environment.err();
    err.println("asynq: " + capitalized(problem));
    if (nextStep != null) {
      err.println("       " + nextStep);
    }
    err.flush();
  }
}
