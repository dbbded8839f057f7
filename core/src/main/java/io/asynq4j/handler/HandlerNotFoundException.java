package io.asynq4j.handler;

import io.asynq4j.AsynqException;

/**
 * No handler is registered for a type of task. The task waits and is tried again, which costs no
 * retry: another server, or a newer version of this one, may know it.
 */
public final class HandlerNotFoundException extends AsynqException {

  private static final long serialVersionUID = 1;

  private final String type;

  public HandlerNotFoundException(String type) {
    super("handler not found for task \"" + type + "\"");
    this.type = type;
  }

  public String type() {
    return type;
  }
}
