package io.asynq4j.spring.boot;

import io.asynq4j.spring.InvalidTaskBeansException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints the problems with handlers, schedules and servers instead of a stack trace. */
final class TaskBeansFailureAnalyzer extends AbstractFailureAnalyzer<InvalidTaskBeansException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, InvalidTaskBeansException cause) {
    return new FailureAnalysis(
        cause.getMessage(), "Correct the listed beans, or the properties asynq4j.*.", cause);
  }
}
