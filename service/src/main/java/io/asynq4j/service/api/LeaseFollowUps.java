package io.asynq4j.service.api;

import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.service.definition.DefinitionCatalog;
import io.asynq4j.service.definition.FollowUpTasks;
import io.asynq4j.service.definition.FollowUpTasks.Attempt;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Follow-ups of the attempts of leased tasks. Thread-safe.
 *
 * <p>Only tasks with the name that owns their queue have any: an API key for one queue must not
 * enqueue the follow-ups of another.
 */
final class LeaseFollowUps {

  private final DefinitionCatalog catalog;
  private final FollowUpTasks followUps;

  LeaseFollowUps(DefinitionCatalog catalog, FollowUpTasks followUps) {
    this.catalog = catalog;
    this.followUps = followUps;
  }

  Optional<EnqueueRequest> before(LeasedTask task) {
    return of(task, followUps::before);
  }

  Optional<EnqueueRequest> succeeded(LeasedTask task, @Nullable JsonNode result) {
    return of(task, attempt -> followUps.succeeded(attempt, result));
  }

  /** Returns the follow-up of an attempt that ends with this outcome, if that is a failure. */
  Optional<EnqueueRequest> failed(LeasedTask task, Outcome outcome) {
    return OutcomePolicy.failure(outcome, task.isLastAttempt())
        .flatMap(failure -> of(task, attempt -> followUps.failed(attempt, failure)));
  }

  private Optional<EnqueueRequest> of(
      LeasedTask task, Function<Attempt, Optional<EnqueueRequest>> followUp) {
    return catalog
        .ofQueue(task.queue().value())
        .filter(owner -> owner.name().equals(task.task().type()))
        .flatMap(owner -> followUp.apply(Attempt.of(task)));
  }

  void send(List<EnqueueRequest> requests) {
    followUps.send(requests);
  }
}
