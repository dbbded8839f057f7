package io.asynq4j.service;

/** What an API key may do. */
public enum Scope {
  /** Hand in tasks, and look at them. */
  SUBMIT,
  /** Lease and settle tasks. */
  WORK,
  /** Cancel and retry tasks, change definitions, reload. */
  OPERATE
}
