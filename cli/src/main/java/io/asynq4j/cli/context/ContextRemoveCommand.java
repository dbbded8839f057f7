package io.asynq4j.cli.context;

import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.LocalCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Removes a context. */
@Command(
    name = "remove",
    aliases = {"rm", "delete"},
    description = "Remove a context from the configuration file. Its Redis is not changed.",
    footerHeading = "%nExamples:%n",
    footer = "  asynq context remove old")
final class ContextRemoveCommand extends LocalCommand {

  @Parameters(paramLabel = "NAME", description = "Name of the context.")
  private String name = "";

  @Override
  public Integer call() {
    options().file().without(name).save();
    options().printer().line("Context %s removed.".formatted(name));
    return ExitCode.DONE;
  }
}
