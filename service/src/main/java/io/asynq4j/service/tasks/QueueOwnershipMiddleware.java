package io.asynq4j.service.tasks;

import io.asynq4j.Task;
import io.asynq4j.handler.Middleware;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.service.definition.DefinitionCatalog;

/**
 * Archives tasks whose type is not the name that their queue belongs to. Whoever may put tasks into
 * one queue could otherwise have the service execute those of any other. Thread-safe.
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
