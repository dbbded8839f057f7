package io.asynq4j.service;

import io.asynq4j.AsynqException;
import java.util.List;
import java.util.stream.Collectors;

/** The configuration is invalid. The message has one line for each problem. */
public final class ConfigurationException extends AsynqException {

  private static final long serialVersionUID = 1;

  /**
   * One error in the configuration. Immutable.
   *
   * @param line counted from 1
   * @param column counted from 1
   */
  public record Problem(String file, int line, int column, String message) {
    @Override
    public String toString() {
      return "%s:%d:%d: %s".formatted(file, line, column, message);
    }
  }

  private final transient List<Problem> problems;

  public ConfigurationException(List<Problem> problems) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** All errors, in the order of the file. */
  public List<Problem> problems() {
    return problems;
  }
}
