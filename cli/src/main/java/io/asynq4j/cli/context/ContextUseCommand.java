package io.asynq4j.cli.context;

import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.LocalCommand;
import io.asynq4j.cli.settings.ConfigFile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets the current context. */
@Command(
    name = "use",
    description =
        "Set the current context. Flags, --context and environment variables override it.",
    footerHeading = "%nExamples:%n",
    footer = {"  asynq context use prod", "  asynq context use --none"})
final class ContextUseCommand extends LocalCommand {

  @Parameters(arity = "0..1", paramLabel = "NAME", description = "Name of the context.")
  private @Nullable String name;

  @Option(names = "--none", description = "Use no context.")
  private boolean none;

  @Override
  public Integer call() {
    if ((name == null) != none) {
      throw CliException.usage(
          "Expected either a context name or --none", "Pass the name of one context, or --none.");
    }
    ConfigFile file = options().file().using(name);
    file.save();
    options()
        .printer()
        .line(
            name == null
                ? "No context is in use."
                : "Now using context %s: %s".formatted(name, file.of(name)));
    return ExitCode.DONE;
  }
}
