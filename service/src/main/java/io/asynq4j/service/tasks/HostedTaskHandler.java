package io.asynq4j.service.tasks;

import io.asynq4j.Task;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.HandlerNotFoundException;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.server.TaskServer.ServingMode;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.jetty.client.HttpClient;
import org.jspecify.annotations.Nullable;

/**
 * Executes the tasks of kind {@code http} and {@code cmd} by the configuration file: no data in
 * Redis or in a request selects what is called or run. Thread-safe.
 */
public final class HostedTaskHandler implements Handler<Task> {

  private record Hosted(TaskKind kind, Handler<Task> handler) {}

  private final HttpClient client;
  private final ProcessGroups groups;
  private final Clock clock;
  private volatile Map<String, Hosted> hosted = Map.of();

  public HostedTaskHandler(HttpClient client, ProcessGroups groups, Clock clock) {
    this.client = client;
    this.groups = groups;
    this.clock = clock;
  }

  /** Replaces the tasks. Attempts that are running continue unchanged. */
  public void configure(Map<String, ConfiguredTask> tasks) {
    Map<String, Hosted> all = new HashMap<>();
    tasks.forEach(
        (name, task) -> {
          Handler<Task> handler = handler(task);
          if (handler != null) {
            all.put(name, new Hosted(task.definition().kind(), handler));
          }
        });
    hosted = Map.copyOf(all);
  }

  private @Nullable Handler<Task> handler(ConfiguredTask task) {
    if (task.http() != null) {
      return new HttpTaskHandler(task.http(), client, clock);
    }
    return task.cmd() == null ? null : new CmdTaskHandler(task.cmd(), groups);
  }

  /**
   * Returns whether this replica executes a task. Tasks from the file of another one are left to
   * it.
   */
  public ServingMode servingMode(TaskDefinition definition) {
    Hosted known = hosted.get(definition.name());
    return known != null && known.kind() == definition.kind()
        ? ServingMode.PROCESS
        : ServingMode.UPKEEP;
  }

  @Override
  public Outcome handle(Task task, TaskContext context) throws Exception {
    Hosted known = hosted.get(task.type());
    if (known == null) {
      throw new HandlerNotFoundException(task.type());
    }
    return known.handler().handle(task, context);
  }
}
