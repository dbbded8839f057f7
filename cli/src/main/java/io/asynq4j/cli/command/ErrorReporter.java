package io.asynq4j.cli.command;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueNotEmptyException;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.ScheduleNotFoundException;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskStateException;
import io.asynq4j.cli.settings.UnknownContextException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says on the error output what went wrong and what to do next, and finds the exit code. */
public final class ErrorReporter implements IExecutionExceptionHandler, IParameterExceptionHandler {

  private final CliEnvironment surroundings;

  public ErrorReporter(CliEnvironment surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
    if (failure instanceof ParameterException misuse) {
      return handleParseException(misuse, new String[0]);
    }
    if (surroundings.variables().containsKey("ASYNQ_DEBUG")) {
      failure.printStackTrace(surroundings.err());
    }
    CliException known = failure instanceof CliException itself ? itself : known(failure);
    String next = known.nextStep();
    say(
        String.valueOf(known.getMessage()),
        next == null && known.exitCode() == ExitCode.USAGE ? help(command) : next);
    return known.exitCode();
  }

  private static CliException known(Exception failure) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof QueueNotFoundException) {
      return CliException.notFound(message, "'asynq queue list' shows those that do");
    } else if (failure instanceof TaskNotFoundException) {
      return CliException.notFound(
          message,
          "a task that succeeded is kept only for its retention; 'asynq task search --id PREFIX'"
              + " looks in all queues");
    } else if (failure instanceof TaskStateException) {
      return CliException.failed(message, "'asynq task explain ID' tells how it stands with it");
    } else if (failure instanceof ScheduleNotFoundException) {
      return CliException.notFound(
          message, "'asynq cron list' shows all entries; Go's can only be listed");
    } else if (failure instanceof UnknownContextException) {
      return CliException.notFound(message, "'asynq context set NAME --redis URL' makes one");
    } else if (failure instanceof QueueNotEmptyException) {
      return CliException.failed(message, "'asynq queue remove --force' removes it with its tasks");
    } else if (failure instanceof BrokerUnavailableException) {
      return CliException.cannotConnect(message, "try again, or look whether Redis is well");
    } else if (failure instanceof BrokerException) {
      return CliException.failed(
          message,
          "'asynq doctor' looks whether all fits together; the log of Redis may tell more");
    } else if (failure instanceof IllegalArgumentException) {
      return CliException.usage(message, null);
    }
    boolean isExpected = failure.getClass().getName().startsWith("io.asynq4j.");
    return isExpected || failure instanceof UncheckedIOException
        ? CliException.failed(message, null)
        : CliException.failed(
            failure.getClass().getSimpleName() + ": " + message,
            "this is a defect: set ASYNQ_DEBUG=1 to see where, and report it");
  }

  @Override
  public int handleParseException(ParameterException misuse, String[] arguments) {
    String help = help(misuse.getCommandLine());
    if (misuse instanceof UnmatchedArgumentException unmatched) {
      say(unknown(unmatched), meant(unmatched) + help);
    } else if (misuse instanceof OptionAsValueException known) {
      say(String.valueOf(known.getMessage()), known.nextStep() + help);
    } else {
      say(String.valueOf(misuse.getMessage()), help);
    }
    return ExitCode.USAGE;
  }

  private static String meant(UnmatchedArgumentException unmatched) {
    List<String> similar = similar(unmatched);
    if (!similar.isEmpty()) {
      return "did you mean " + String.join(" or ", similar) + "? ";
    }
    boolean takesWords =
        !unmatched.getCommandLine().getCommandSpec().positionalParameters().isEmpty();
    return takesWords && unmatched.getUnmatched().get(0).startsWith("-")
        ? "a word that begins with - goes behind -- ; "
        : "";
  }

  /** Nearest by letters; picocli's own are by sets of them, and take stats for tsak. */
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
      return "'%s' has no option %s".formatted(command.getCommandSpec().qualifiedName(), word);
    }
    return command.getSubcommands().isEmpty()
        ? "'%s' takes no more words, but there is %s"
            .formatted(command.getCommandSpec().qualifiedName(), word)
        : "'%s' has no command %s".formatted(command.getCommandSpec().qualifiedName(), word);
  }

  private static String help(CommandLine command) {
    return "'" + command.getCommandSpec().qualifiedName() + " --help' shows what there is";
  }

  private void say(String problem, @Nullable String nextStep) {
    PrintStream err = surroundings.err();
    err.println("asynq: " + problem);
    if (nextStep != null) {
      err.println("       " + nextStep);
    }
    err.flush();
  }
}
