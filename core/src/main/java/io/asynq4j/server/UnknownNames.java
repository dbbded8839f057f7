package io.asynq4j.server;

/** What becomes of a server that has handlers for names which are not in the central list. */
public enum UnknownNames {
  /** It does not start. */
  REFUSE,
  /** It starts with a warning, and serves such a name from when it is defined. */
  WARN
}
