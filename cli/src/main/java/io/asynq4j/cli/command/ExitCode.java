package io.asynq4j.cli.command;

/** What the process says of itself at its end. */
public final class ExitCode {

  public static final int DONE = 0;

  /** The command was understood, and could not be done, or not all of it. */
  public static final int FAILED = 1;

  /** The command line was not understood, or a value in it makes no sense. */
  public static final int USAGE = 2;

  /** A queue, task, server, entry or context that was named does not exist. */
  public static final int NOT_FOUND = 3;

  /** Redis is out of reach, or does not let us in. */
  public static final int CANNOT_CONNECT = 4;

  private ExitCode() {}
}
