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

  private ServerConfigValidator() {}

  /** Returns warnings. Throws an {@code IllegalStateException} if the server has no handler. */
  public static List<String> warnings(ServerConfig config, Handler<Task> handler) {
    List<String> warnings = new ArrayList<>();
    if (!(handler instanceof Mux mux)) {
      return warnings;
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
    new TreeMap<>(mux.queues())
        .forEach(
            (type, queue) -> {
              if (!mayServe(config, QueueName.of(queue))) {
                warnings.add(
                    "task type \"%s\" has a handler and goes to queue \"%s\", which this server does not serve: add queue(\"%s\"), or its tasks wait for another server"
                        .formatted(type, queue, queue));
              }
            });
    return warnings;
  }

  /** The queues of the central list of definitions are not known yet. */
  private static boolean mayServe(ServerConfig config, QueueName queue) {
    return config.defined() != null
        || config.queues().containsKey(queue)
        || config.patterns().stream().anyMatch(pattern -> pattern.matches(queue));
  }
}
