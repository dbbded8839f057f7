package io.asynq4j.spring;

import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServerBuilder;
import java.util.Optional;
import java.util.Set;

/**
 * A bean with the servers of an application context, which exist when the context has been
 * refreshed. Thread-safe.
 *
 * <p>Not to be implemented by applications.
 */
public interface TaskServers {

  /** Returns the names of the servers, also of those that do not run. */
  Set<String> names();

  /**
   * Returns the running server with this name; empty if it does not run. Do not stop it; call
   * {@link #stop}. A server that is started again is another object.
   */
  Optional<TaskServer> find(String name);

  /**
   * Applies the handlers and the settings of a server to a builder, such as that of a test kit
   * which runs the handlers itself.
   *
   * @throws IllegalArgumentException if there is no server with this name
   */
  void configure(String name, TaskServerBuilder builder);

  /**
   * Starts a server; without effect if it runs.
   *
   * @throws IllegalArgumentException if there is no server with this name
   */
  void start(String name);

  /**
   * Stops a server, and returns when it has stopped; without effect if it does not run.
   *
   * @throws IllegalArgumentException if there is no server with this name
   */
  void stop(String name);
}
