package io.asynq4j.cli.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that does not need Redis, or connects to it itself. */
public abstract class LocalCommand implements Callable<Integer> {

  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  protected final CommandSpec spec() {
    return spec;
  }

  /** Returns whether the global options of the connection have an effect on the command. */
  public boolean connects() {
    return false;
  }

  protected final GlobalOptions options() {
    return GlobalOptions.of(spec);
  }

  protected final CliEnvironment environment() {
    return options().environment();
  }
}
