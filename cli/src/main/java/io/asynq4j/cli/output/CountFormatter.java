package io.asynq4j.cli.output;

/** Formats numbers of things. */
public final class CountFormatter {

  private CountFormatter() {}

  /** {@code 1 task}, {@code 1,200 tasks}. */
  public static String tasks(long number) {
    return "%,d %s".formatted(number, number == 1 ? "task" : "tasks");
  }
}
