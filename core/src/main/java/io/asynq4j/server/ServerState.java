package io.asynq4j.server;

/** The state of a server. The states follow each other in this order. */
public enum ServerState {
  /** Not started yet. */
  NEW,
  /** Claims and processes tasks. */
  ACTIVE,
  /** Claims no more tasks. Running handlers and duties continue. */
  QUIET,
  /** Waits for running handlers, then stops. */
  STOPPING,
  /** Stopped. */
  CLOSED;
}
