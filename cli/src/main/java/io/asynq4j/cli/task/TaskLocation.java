package io.asynq4j.cli.task;

/** A task by its queue and id. */
record TaskLocation(String queue, String id) {

  @Override
  public String toString() {
    return id + " in queue " + queue;
  }
}
