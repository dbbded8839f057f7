package io.asynq4j.cli.context;

import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.LocalCommand;
import io.asynq4j.cli.settings.ConnectionSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Names a place of Redis. */
@Command(
    name = "set",
    description = {
      "Names a place of Redis, with all that the global options say of it.",
      "Comments in the file are lost."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq context set local --redis redis://localhost:6379",
      "  asynq context set prod --redis rediss://app@redis.example.com/2 --password secret --use",
      "  asynq context set old --uri 10.0.0.5:6379 --db 3"
    })
final class ContextSetCommand extends LocalCommand {

  @Parameters(paramLabel = "NAME", description = "What it is called.")
  private String name = "";

  @Option(names = "--use", description = "Use it from now on.")
  private boolean use;

  @Override
  public Integer call() {
    ConnectionSettings settings = options().flags();
    if (!settings.namesPlace()) {
      throw CliException.usage(
          "Where is the Redis of this context?", "say --redis URL, --uri HOST:PORT or --cluster");
    }
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) {
      throw CliException.usage(
          "A context is called by letters, digits, dots and dashes, not " + name, null);
    }
    // Refuses what leads nowhere, before it is written.
    String place = settings.toString();
    var file = options().fileToWrite().with(name, settings);
    (use ? file.using(name) : file).save();
    options().printer().line("Context %s is %s, in %s".formatted(name, place, file.path()));
    return ExitCode.DONE;
  }
}
