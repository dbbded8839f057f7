package io.asynq4j.cli.command;

import org.jspecify.annotations.Nullable;

/** Failure of a command, with the next step for the user and the exit code. */
public final class CliException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int exitCode;
  private final @Nullable String nextStep;

  private CliException(int exitCode, String message, @Nullable String nextStep) {
    super(message);
    this.exitCode = exitCode;
    this.nextStep = nextStep;
  }

  public static CliException failed(String message, @Nullable String nextStep) {
    return new CliException(ExitCode.FAILED, message, nextStep);
  }

  public static CliException usage(String message, @Nullable String nextStep) {
    return new CliException(ExitCode.USAGE, message, nextStep);
  }

  public static CliException notFound(String message, @Nullable String nextStep) {
    return new CliException(ExitCode.NOT_FOUND, message, nextStep);
  }

  public static CliException cannotConnect(String message, @Nullable String nextStep) {
    return new CliException(ExitCode.CANNOT_CONNECT, message, nextStep);
  }

  public int exitCode() {
    return exitCode;
  }

  public @Nullable String nextStep() {
    return nextStep;
  }
}
