package io.asynq4j.cli.command;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Thrown if an option follows where the value of another option is expected. */
final class OptionAsValueException extends ParameterException {

  private static final long serialVersionUID = 1L;

  private final String nextStep;

  OptionAsValueException(CommandLine command, String name, String found) {
    super(command, "Option %s needs a value, but %s follows".formatted(name, found));
    this.nextStep = "If %2$s is the value, write %1$s=%2$s. ".formatted(name, found);
  }

  String nextStep() {
    return nextStep;
  }
}
