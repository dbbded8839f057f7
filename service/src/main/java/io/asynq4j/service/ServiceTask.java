package io.asynq4j.service;

import io.asynq4j.TaskState;
import org.jspecify.annotations.Nullable;

/** A task as the service returns it. Immutable. */
public sealed interface ServiceTask permits ServiceTaskRecord {

  String id();

  String name();

  TaskState state();

  /** The params as JSON. */
  String params();

  /** The result as JSON; null if there is none. */
  @Nullable String result();

  /** The error of the last failed attempt; empty if none failed. */
  String error();

  /** The number of retries so far. */
  int retried();
}
