package io.asynq4j.cli.dashboard;

import io.asynq4j.cli.frame.CommandGroup;
import picocli.CommandLine.Command;

/** Makes the lines of a file that says who may log in. */
@Command(
    name = "credentials",
    description = {
      "Makes the lines of a file that says who may log in to the dashboard and the exporter.",
      "Only hashes are in it; what it is a hash of is shown once."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {CredentialsUser.class, CredentialsToken.class},
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq credentials user anna --role admin >> credentials",
      "  asynq credentials token prometheus >> credentials",
      "",
      "Then: asynq dashboard --host 0.0.0.0 --credentials credentials"
    })
public final class CredentialsCommand extends CommandGroup {}
