package io.asynq4j.cli.task.option;

/** A task by its queue and id. */
public record TaskLocation(String queue, String id) {

  @Override
  public String toString() {
    return id + " in queue " + queue;
  }
}
