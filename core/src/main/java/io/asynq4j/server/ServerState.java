package io.asynq4j.server;

/** Where a server is in its life. It only goes forward. */
public enum ServerState {
  /** Built, and not started. */
  NEW,
  /** Claims and processes tasks. */
  ACTIVE,
  /** Claims nothing more; what runs goes on, and so do the duties. */
  QUIET,
  /** Waits for what runs, then ends. */
  STOPPING,
  CLOSED;
}
