package io.asynq4j.handler;

import io.asynq4j.AsynqException;

/**
 * No handler is registered for a task type. The task is retried later, which does not use up a
 * retry: another server, or a newer version of this one, may have a handler.
 */
public final class HandlerNotFoundException extends AsynqException {

  private final String type;

  public HandlerNotFoundException(String type) {
    super("handler not found for task \"" + type + "\"");
    this.type = type;
  }

  /** Returns the task type. */
  public String type() {
    return type;
  }
}
