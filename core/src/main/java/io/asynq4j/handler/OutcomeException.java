package io.asynq4j.handler;

import io.asynq4j.AsynqException;

/** Carries an outcome to the server, also as the cause of another exception. */
public final class OutcomeException extends AsynqException {

  private final transient Outcome outcome;

  OutcomeException(Outcome outcome) {
    super(outcome.toString());
    this.outcome = outcome;
  }

  /** Returns the outcome. */
  public Outcome outcome() {
    return outcome;
  }
}
