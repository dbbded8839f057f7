package io.asynq4j.cli.context;

import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.LocalCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Forgets a named place. */
@Command(
    name = "remove",
    aliases = {"rm", "delete"},
    description = "Forgets a context; nothing happens to its Redis.",
    footerHeading = "%nExamples:%n",
    footer = "  asynq context remove old")
final class ContextRemoveCommand extends LocalCommand {

  @Parameters(paramLabel = "NAME", description = "The name of a context.")
  private String name = "";

  @Override
  public Integer call() {
    options().file().without(name).save();
    options().printer().line("Context %s is forgotten.".formatted(name));
    return ExitCode.DONE;
  }
}
