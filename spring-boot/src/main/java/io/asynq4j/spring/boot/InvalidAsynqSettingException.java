package io.asynq4j.spring.boot;

import io.asynq4j.AsynqException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when an application starts with properties {@code asynq4j.*} that cannot be used. Spring
 * Boot prints the problem and what to do instead of a stack trace.
 */
public final class InvalidAsynqSettingException extends AsynqException {

  private static final long serialVersionUID = 1;

  private final String problem;
  private final String action;

  InvalidAsynqSettingException(String problem, String action, @Nullable Throwable cause) {
    super(problem + ": " + action, cause);
    this.problem = problem;
    this.action = action;
  }

  InvalidAsynqSettingException(String problem, String action) {
    this(problem, action, null);
  }

  /** What failed, and why. */
  public String problem() {
    return problem;
  }

  /** What to do. */
  public String action() {
    return action;
  }
}
