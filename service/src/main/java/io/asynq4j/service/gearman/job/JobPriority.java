package io.asynq4j.service.gearman.job;

/** How urgent a job is; within a function, all of one come before any of the next. */
public enum JobPriority {
  HIGH(":high"),
  NORMAL(""),
  LOW(":low");

  private final String suffix;

  JobPriority(String suffix) {
    this.suffix = suffix;
  }

  /** The task name that jobs of this priority have. */
  public String nameOf(String function) {
    return function + suffix;
  }
}
