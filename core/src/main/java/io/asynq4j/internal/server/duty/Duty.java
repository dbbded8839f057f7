package io.asynq4j.internal.server.duty;

import java.time.Duration;

/** A periodic background job of a server. */
public interface Duty {

  /** Creates a duty that runs an action at a fixed interval. */
  static Duty every(Duration interval, String name, Runnable action) {
    return new Periodic(name, interval, action);
  }

  String name();

  /**
   * Runs the duty and returns the delay until the next run. May throw; it is then retried after
   * {@link #interval}.
   */
  Duration run();

  /** The delay until the next run after a failure. */
  Duration interval();

  /** A duty with a fixed interval. */
  record Periodic(String name, Duration interval, Runnable action) implements Duty {
    @Override
    public Duration run() {
      action.run();
      return interval;
    }
  }
}
