package io.asynq4j.cli.command;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only has subcommands. */
public abstract class CommandGroup implements Runnable {

  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Override
  public final void run() {
    throw new ParameterException(
        spec.commandLine(),
        "Missing command. Available commands: "
            + String.join(
                ", ",
                spec.subcommands().values().stream()
                    .filter(command -> !command.getCommandSpec().usageMessage().hidden())
                    .map(command -> command.getCommandName())
                    .distinct()
                    .toList()));
  }
}
