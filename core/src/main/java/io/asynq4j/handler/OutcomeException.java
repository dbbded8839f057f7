package io.asynq4j.handler;

import io.asynq4j.AsynqException;

/** Carries an outcome up to whoever handles the task. Found also as the cause of another. */
public final class OutcomeException extends AsynqException {

  private static final long serialVersionUID = 1;

  private final transient Outcome outcome;

  OutcomeException(Outcome outcome) {
    super(outcome.toString());
    this.outcome = outcome;
  }

  public Outcome outcome() {
    return outcome;
  }
}
