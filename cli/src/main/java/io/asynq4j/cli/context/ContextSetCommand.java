package io.asynq4j.cli.context;

import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.LocalCommand;
import io.asynq4j.cli.settings.ConnectionSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Creates or replaces a context. */
@Command(
    name = "set",
    description = {
      "Create or replace a context. It stores the connection options of this command line.",
      "Comments in the configuration file are lost."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq context set local --redis redis://localhost:6379",
      "  asynq context set prod --redis rediss://app@redis.example.com/2 --password secret --use",
      "  asynq context set old --uri 10.0.0.5:6379 --db 3"
    })
final class ContextSetCommand extends LocalCommand {

  @Parameters(paramLabel = "NAME", description = "Name of the context.")
  private String name = "";

  @Option(names = "--use", description = "Make this context the current one.")
  private boolean use;

  @Override
  public boolean connects() {
    return true;
  }

  @Override
  public Integer call() {
    ConnectionSettings settings = options().flags();
    if (!settings.namesPlace()) {
      throw CliException.usage(
          "Missing connection of the context", "Pass --redis URL, --uri HOST:PORT or --cluster.");
    }
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) {
      throw CliException.usage(
          "Invalid context name '%s': use letters, digits, dots, underscores and dashes"
              .formatted(name),
          null);
    }
    // Validates the settings before they are saved.
    String place = settings.toString();
    var file = options().fileToWrite().with(name, settings);
    (use ? file.using(name) : file).save();
    options().printer().line("Context %s saved in %s: %s".formatted(name, file.path(), place));
    return ExitCode.DONE;
  }
}
