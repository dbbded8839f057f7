package io.asynq4j.service.auth;

/** Permission of an API key. */
public enum Scope {
  /** Enqueue and read tasks. */
  SUBMIT,
  /** Lease and settle tasks. */
  WORK,
  /** Cancel and retry tasks, change definitions, and reload the configuration. */
  OPERATE
}
