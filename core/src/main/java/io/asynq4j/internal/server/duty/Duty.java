package io.asynq4j.internal.server.duty;

import java.time.Duration;

/** A periodic background job of a server. */
public interface Duty {

  String name();

  /**
   * Runs the duty and returns the delay until the next run. May throw; it is then retried after
   * {@link #interval}.
   */
  Duration run();

  /** The delay until the next run after a failure. */
  Duration interval();
}
