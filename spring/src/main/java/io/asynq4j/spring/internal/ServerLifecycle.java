package io.asynq4j.spring.internal;

import io.asynq4j.server.ServerState;
import io.asynq4j.server.TaskServer;
import io.asynq4j.spring.TaskServerDefinition;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/** Starts and stops a server with the context. Each start builds a new server. Thread-safe. */
final class ServerLifecycle implements SmartLifecycle, DisposableBean {

  private final TaskServerDefinition definition;
  private final Supplier<TaskServer> builder;
  private final ContextClassLoader loader;
  private @Nullable TaskServer prepared;
  private @Nullable TaskServer current;

  /**
   * @param prepared the server of the first start
   * @param builder builds the servers of later starts
   */
  ServerLifecycle(
      TaskServerDefinition definition,
      TaskServer prepared,
      Supplier<TaskServer> builder,
      ContextClassLoader loader) {
    this.definition = definition;
    this.prepared = prepared;
    this.builder = builder;
    this.loader = loader;
  }

  @Override
  public synchronized void start() {
    if (!isRunning()) {
      loader.run(
          () -> {
            TaskServer server = prepared == null ? builder.get() : prepared;
            prepared = null;
            server.start();
            current = server;
          });
    }
  }

  /** Returns when the server has stopped, also if another thread stops it. */
  @Override
  public void stop() {
    TaskServer server;
    synchronized (this) {
      server = current;
    }
    if (server != null) {
      server.stop();
    }
  }

  /** Stops on a separate thread, so that several servers stop at the same time. */
  @Override
  public void stop(Runnable callback) {
    Runnable stopping =
        () -> {
          try {
            stop();
          } finally {
            callback.run();
          }
        };
    new Thread(stopping, "asynq-stop-" + definition.name()).start();
  }

  /** Waits for a stop that takes longer than the timeout of the phase. */
  @Override
  public void destroy() {
    stop();
  }

  @Override
  public synchronized boolean isRunning() {
    return current != null && current.state() != ServerState.CLOSED;
  }

  synchronized Optional<TaskServer> running() {
    return isRunning() ? Optional.ofNullable(current) : Optional.empty();
  }

  @Override
  public boolean isAutoStartup() {
    return definition.isAutoStartup();
  }

  @Override
  public int getPhase() {
    return definition.phase();
  }
}
