package io.asynq4j.service.tasks;

import io.asynq4j.Task;
import io.asynq4j.handler.Middleware;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.service.definition.DefinitionCatalog;

/**
 * Archives tasks whose type is not the name that owns their queue. Otherwise a producer with access
 * to one queue could have the service execute the tasks of any other. Thread-safe.
 */
public final class QueueOwnershipMiddleware implements Middleware {

  private final DefinitionCatalog catalog;

  public QueueOwnershipMiddleware(DefinitionCatalog catalog) {
    this.catalog = catalog;
  }

  @Override
  public Outcome handle(Task task, TaskContext context, Next next) throws Exception {
    return catalog.isQueueOf(context.queue().value(), task.type())
        ? next.call()
        : Outcome.archive(
            "queue \"%s\" is not for tasks named \"%s\"".formatted(context.queue(), task.type()));
  }
}
