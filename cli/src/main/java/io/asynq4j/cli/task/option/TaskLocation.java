package io.asynq4j.cli.task.option;

/** Queue and ID of a task. */
public record TaskLocation(String queue, String id) {

  @Override
  public String toString() {
    return id + " in queue " + queue;
  }
}
