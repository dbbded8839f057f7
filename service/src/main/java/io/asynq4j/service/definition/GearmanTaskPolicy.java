package io.asynq4j.service.definition;

import io.asynq4j.Payload;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.handler.Outcome;
import io.asynq4j.http.Json;
import io.asynq4j.http.Problem;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.LeasedTask.LeaseOutcome;
import io.asynq4j.service.definition.FollowUpTasks.Attempt;
import io.asynq4j.service.gearman.AttemptListener;
import io.asynq4j.service.gearman.JobValidator;
import io.asynq4j.service.response.Problems;
import io.asynq4j.service.response.TaskJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Applies params schemas and follow-ups to the tasks of the gearman gateway, as for all other
 * tasks. Thread-safe.
 */
public final class GearmanTaskPolicy implements JobValidator, AttemptListener {

  private final DefinitionCatalog catalog;
  private final FollowUpTasks followUps;

  public GearmanTaskPolicy(DefinitionCatalog catalog, FollowUpTasks followUps) {
    this.catalog = catalog;
    this.followUps = followUps;
  }

  @Override
  public Optional<String> refusal(TaskDefinition definition, Payload payload) {
    ParamsSchema schema =
        catalog.find(definition.name()).map(DefinitionCatalog.Entry::schema).orElse(null);
    if (schema == null) {
      return Optional.empty();
    }
    try {
      JsonNode params = Json.parse(payload.bytes(), "the workload", Problems.FACTORY);
      return schema.check(params).map(problem -> String.valueOf(problem.getMessage()));
    } catch (Problem problem) {
      return Optional.of(String.valueOf(problem.getMessage()));
    }
  }

  @Override
  public Set<String> queuesBefore(LeasedTask task) {
    return followUps.queuesBefore(task.task().type());
  }

  @Override
  public Set<String> queuesAfter(LeasedTask task) {
    return followUps.queuesAfter(task.task().type());
  }

  @Override
  public void begin(List<LeasedTask> tasks) {
    List<EnqueueRequest> requests = new ArrayList<>();
    tasks.forEach(task -> followUps.before(Attempt.of(task)).ifPresent(requests::add));
    followUps.send(requests);
  }

  @Override
  public void end(List<LeaseOutcome> outcomes) {
    List<EnqueueRequest> requests = new ArrayList<>();
    outcomes.forEach(each -> followUp(each.task(), each.outcome()).ifPresent(requests::add));
    followUps.send(requests);
  }

  private Optional<EnqueueRequest> followUp(LeasedTask task, Outcome outcome) {
    if (outcome instanceof Outcome.Done done) {
      Payload result = done.result() instanceof Payload payload ? payload : Payload.absent();
      return followUps.succeeded(Attempt.of(task), TaskJson.value(result));
    }
    return OutcomePolicy.failure(outcome, task.isLastAttempt())
        .flatMap(failure -> followUps.failed(Attempt.of(task), failure));
  }
}
