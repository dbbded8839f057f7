package io.asynq4j.cli;

import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.LocalCommand;
import io.asynq4j.cli.output.Column;
import java.util.List;
import picocli.CommandLine.Command;

/** Says which version it is. */
@Command(
    name = "version",
    description = "Says which version this is.",
    footerHeading = "%nExamples:%n",
    footer = {"  asynq version", "  asynq version --json"})
final class VersionCommand extends LocalCommand {

  @Override
  public Integer call() {
    options()
        .printer()
        .told(
            List.of(VersionProvider.number()),
            List.of(
                Column.of("Version", "asynq4j", version -> version),
                Column.of("Java", "java", version -> Runtime.version().toString())),
            version -> String.join(System.lineSeparator(), new VersionProvider().getVersion()));
    return ExitCode.DONE;
  }
}
