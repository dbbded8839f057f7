package io.asynq4j.cli.frame;

import org.jspecify.annotations.Nullable;

/** Why a command ends, with what to do next and the exit code. */
public final class Failure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int exitCode;
  private final @Nullable String nextStep;

  private Failure(int exitCode, String message, @Nullable String nextStep) {
    super(message);
    this.exitCode = exitCode;
    this.nextStep = nextStep;
  }

  public static Failure failed(String message, @Nullable String nextStep) {
    return new Failure(ExitCode.FAILED, message, nextStep);
  }

  public static Failure usage(String message, @Nullable String nextStep) {
    return new Failure(ExitCode.USAGE, message, nextStep);
  }

  public static Failure notFound(String message, @Nullable String nextStep) {
    return new Failure(ExitCode.NOT_FOUND, message, nextStep);
  }

  public static Failure cannotConnect(String message, @Nullable String nextStep) {
    return new Failure(ExitCode.CANNOT_CONNECT, message, nextStep);
  }

  public int exitCode() {
    return exitCode;
  }

  public @Nullable String nextStep() {
    return nextStep;
  }
}
