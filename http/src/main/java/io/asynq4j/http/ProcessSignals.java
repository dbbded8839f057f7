package io.asynq4j.http;

import io.asynq4j.internal.concurrent.ProcessSignal;

/** Handlers for the signals of the operating system. */
public final class ProcessSignals {

  private ProcessSignals() {}

  /**
   * Runs an action at each signal of this name. Does nothing if signals cannot be handled.
   *
   * @param name without its prefix, such as {@code TERM}
   * @return removes the handler
   */
  public static Runnable on(String name, Runnable action) {
    return ProcessSignal.on(name, action)::undo;
  }
}
