package io.asynq4j.cli.context;

import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.LocalCommand;
import io.asynq4j.cli.settings.ConfigFile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says which named place all commands use. */
@Command(
    name = "use",
    description = "Says which context all commands use, unless a flag or a variable says more.",
    footerHeading = "%nExamples:%n",
    footer = {"  asynq context use prod", "  asynq context use --none"})
final class ContextUseCommand extends LocalCommand {

  @Parameters(arity = "0..1", paramLabel = "NAME", description = "The name of a context.")
  private @Nullable String name;

  @Option(names = "--none", description = "Use no context.")
  private boolean none;

  @Override
  public Integer call() {
    if ((name == null) != none) {
      throw CliException.usage("Which context?", "name one, or say --none");
    }
    ConfigFile file = options().file().using(name);
    file.save();
    options()
        .printer()
        .line(
            name == null
                ? "No context is used."
                : "Context %s is used: %s".formatted(name, file.of(name)));
    return ExitCode.DONE;
  }
}
