package io.asynq4j.cli.command;

/** Exit codes of the process. */
public final class ExitCode {

  public static final int DONE = 0;

  /** The command failed or was only partly completed. */
  public static final int FAILED = 1;

  /** The command line or a value in it is invalid. */
  public static final int USAGE = 2;

  /** A queue, task, server, schedule entry or context does not exist. */
  public static final int NOT_FOUND = 3;

  /** Redis cannot be reached or refuses the connection. */
  public static final int CANNOT_CONNECT = 4;

  private ExitCode() {}
}
