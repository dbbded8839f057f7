package io.asynq4j.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints the problem with a setting, and what to do, instead of a stack trace. */
final class AsynqFailureAnalyzer extends AbstractFailureAnalyzer<InvalidAsynqSettingException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, InvalidAsynqSettingException cause) {
    return new FailureAnalysis(sentence(cause.problem()), sentence(cause.action()), cause);
  }

  private static String sentence(String text) {
    return Character.toUpperCase(text.charAt(0))
        + text.substring(1)
        + (text.endsWith(".") ? "" : ".");
  }
}
