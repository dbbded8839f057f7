package io.asynq4j.server;

import io.asynq4j.internal.server.config.ServerConfig;

/** Gives tests of other packages access to package-private settings of a server. */
public final class TaskServerAccess {

  private TaskServerAccess() {}

  public static ServerConfig config(TaskServerBuilder builder) {
    return builder.config();
  }
}
