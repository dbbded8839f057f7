package io.asynq4j.http;

import io.asynq4j.internal.concurrent.ProcessSignal;

/** The signals of the operating system that a server process obeys. */
public final class ProcessSignals {

  private ProcessSignals() {}

  /**
   * Has an action run at each signal of this name; does nothing where signals cannot be handled.
   *
   * @param name without its prefix, such as {@code TERM}
   * @return undoes it
   */
  public static Runnable on(String name, Runnable action) {
    return ProcessSignal.on(name, action)::undo;
  }
}
