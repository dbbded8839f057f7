package io.asynq4j.internal.server.config;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Mux;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Finds settings of a server that have no effect, usually because of a mistyped name. They result
 * in warnings, since a queue may be added later, or in an error if the server could handle nothing.
 */
public final class ServerConfigValidator {

  private final ServerConfig config;
  private final Handler<Task> handler;
  private final List<String> warnings = new ArrayList<>();

  private ServerConfigValidator(ServerConfig config, Handler<Task> handler) {
    this.config = config;
    this.handler = handler;
  }

  /** Returns warnings. Throws an {@code IllegalStateException} if the server has no handler. */
  public static List<String> of(ServerConfig config, Handler<Task> handler) {
    ServerConfigValidator validator = new ServerConfigValidator(config, handler);
    validator.handlers();
    // The queues of the central list of definitions are not known yet.
    if (config.defined() == null) {
      validator.queues();
    }
    return validator.warnings;
  }

  private void handlers() {
    if (!(handler instanceof Mux mux)) {
      return;
    }
    if (mux.isEmpty() && config.defined() == null) {
      throw new IllegalStateException(
          "the Mux has no handler, so the server could handle no task: add run(…), handle(…) or"
              + " otherwise(…)");
    }
    for (String type : new TreeSet<>(config.retryPolicies().keySet())) {
      if (!mux.handles(type)) {
        warnings.add(
            "retryPolicy is set for task type \"%s\", which has no handler here".formatted(type));
      }
    }
  }

  private void queues() {
    if (handler instanceof Mux mux) {
      new TreeMap<>(mux.queues())
          .forEach(
              (type, queue) -> {
                if (!isServed(QueueName.of(queue))) {
                  warnings.add(
                      "task type \"%s\" has a handler and goes to queue \"%s\", which this server does not serve: add queue(\"%s\"), or its tasks wait for another server"
                          .formatted(type, queue, queue));
                }
              });
    }
  }

  private boolean isServed(QueueName queue) {
    return config.queues().containsKey(queue)
        || config.patterns().stream().anyMatch(pattern -> pattern.matches(queue));
  }
}
