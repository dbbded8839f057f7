package io.asynq4j.cli;

import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.LocalCommand;
import io.asynq4j.cli.output.Column;
import java.util.List;
import picocli.CommandLine.Command;

/** Prints the version. */
@Command(
    name = "version",
    description = "Print the version of asynq4j and of Java.",
    footerHeading = "%nExamples:%n",
    footer = {"  asynq version", "  asynq version --json"})
final class VersionCommand extends LocalCommand {

  @Override
  public Integer call() {
    options()
        .printer()
        .results(
            List.of(VersionProvider.number()),
            List.of(
                Column.of("Version", "asynq4j", version -> version),
                Column.of("Java", "java", version -> Runtime.version().toString())),
            version -> String.join(System.lineSeparator(), new VersionProvider().getVersion()));
    return ExitCode.DONE;
  }
}
