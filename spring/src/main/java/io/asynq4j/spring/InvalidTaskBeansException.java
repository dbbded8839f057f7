package io.asynq4j.spring;

import java.util.List;

/**
 * Thrown when an application context starts whose handlers, schedules or servers are not valid. The
 * message lists all problems, each with the bean, the method and what to do.
 */
public final class InvalidTaskBeansException extends IllegalStateException {

  private static final long serialVersionUID = 1;

  private final List<String> problems;

  public InvalidTaskBeansException(List<String> problems) {
    super(message(problems));
    this.problems = List.copyOf(problems);
  }

  private static String message(List<String> problems) {
    String title =
        problems.size() == 1
            ? "1 problem with the task beans of the application context:"
            : problems.size() + " problems with the task beans of the application context:";
    return title + "\n- " + String.join("\n- ", problems);
  }

  /** Returns the problems, in the order of the message. */
  public List<String> problems() {
    return problems;
  }
}
