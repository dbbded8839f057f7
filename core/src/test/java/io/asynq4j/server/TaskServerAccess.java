package io.asynq4j.server;

/** Gives tests of other packages what the builder of a server keeps to itself. */
final class TaskServerAccess {

  private TaskServerAccess() {}

  static ServerConfig config(TaskServer.Builder builder) {
    return builder.config();
  }
}
