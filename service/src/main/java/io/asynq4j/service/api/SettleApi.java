package io.asynq4j.service.api;

import io.asynq4j.Payload;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.handler.Outcome;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.Json;
import io.asynq4j.http.RequestFields;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.LeasedTask.LeaseOutcome;
import io.asynq4j.lease.LeasedTask.LeaseResult;
import io.asynq4j.service.config.RequestLimits;
import io.asynq4j.service.definition.DefinitionCatalog;
import io.asynq4j.service.definition.FollowUpTasks;
import io.asynq4j.service.response.Problems;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** The settling half of the lease protocol: workers report the outcomes of tasks. Thread-safe. */
public final class SettleApi {

  private static final String CANCELLED = "cancelled by an operator";

  private final DefinitionCatalog catalog;
  private final LeaseFollowUps followUps;
  private final Supplier<RequestLimits> limits;

  public SettleApi(
      DefinitionCatalog catalog, FollowUpTasks followUps, Supplier<RequestLimits> limits) {
    this.catalog = catalog;
    this.followUps = new LeaseFollowUps(catalog, followUps);
    this.limits = limits;
  }

  ApiResponse complete(Exchange exchange) throws Exception {
    LeaseTokenBatch batch = batch(exchange);
    return batch.hasFollowUps() ? completeWithFollowUps(batch) : completeByProof(batch);
  }

  /** Completes tasks without reading them first, which is cheaper. */
  private ApiResponse completeByProof(LeaseTokenBatch batch) {
    List<LeaseResult> results = new ArrayList<>();
    batch.eachProof(
        (proof, fields) ->
            results.add(
                new LeaseResult(
                    proof,
                    fields.any("result").map(SettleApi::payload).orElseGet(Payload::absent))));
    List<Optional<Outcome>> applied = catalog.leases().complete(results);
    for (int i = 0; i < applied.size(); i++) {
      batch.set(i, state(applied.get(i)));
    }
    return batch.response();
  }

  private ApiResponse completeWithFollowUps(LeaseTokenBatch batch) {
    return settle(
        batch,
        (task, fields) -> {
          Optional<JsonNode> result = fields.any("result");
          return new Decision(
              new LeaseOutcome(task, Outcome.done(result.map(SettleApi::payload).orElse(null))),
              followUps.succeeded(task, result.orElse(null)));
        });
  }

  private static Payload payload(JsonNode value) {
    return Payload.of(Json.bytes(value));
  }

  ApiResponse fail(Exchange exchange) throws Exception {
    return settle(
        batch(exchange),
        (task, fields) -> {
          String error = fields.text("error").orElse("the worker gave no reason");
          Optional<Duration> in = fields.duration("in");
          boolean retry = fields.flag("retry", true);
          Outcome failed =
              retry
                  ? in.map(delay -> Outcome.retry(error, delay))
                      .orElseGet(() -> Outcome.retry(error))
                  : Outcome.archive(error);
          Outcome outcome = unlessCancelled(task, failed);
          return new Decision(new LeaseOutcome(task, outcome), followUps.failed(task, outcome));
        });
  }

  /**
   * The outcome of a cancelled task is the one that the cancelling caller chose: a worker that
   * stops on request has not failed.
   */
  private static Outcome unlessCancelled(LeasedTask task, Outcome outcome) {
    return task.cancelled().map(after -> Outcome.cancelled(after, CANCELLED)).orElse(outcome);
  }

  ApiResponse snooze(Exchange exchange) throws Exception {
    return settle(
        batch(exchange),
        (task, fields) -> {
          Duration in =
              fields
                  .duration("in")
                  .orElseThrow(
                      () -> Problems.invalid("in", "\"in\" is required: the time to wait"));
          return Decision.unlessCancelled(task, Outcome.snooze(in));
        });
  }

  ApiResponse release(Exchange exchange) throws Exception {
    return settle(
        batch(exchange), (task, fields) -> Decision.unlessCancelled(task, Outcome.requeue()));
  }

  /**
   * The outcome of a task.
   *
   * @param followUp enqueued before the task is settled, so that none is lost if this process ends
   *     in between
   */
  private record Decision(LeaseOutcome outcome, Optional<EnqueueRequest> followUp) {

    static Decision unlessCancelled(LeasedTask task, Outcome outcome) {
      return new Decision(
          new LeaseOutcome(task, SettleApi.unlessCancelled(task, outcome)), Optional.empty());
    }
  }

  private interface Decider {
    Decision decide(LeasedTask task, RequestFields fields);
  }

  private LeaseTokenBatch batch(Exchange exchange) throws Exception {
    return new LeaseTokenBatch(exchange, limits.get().batch(), catalog);
  }

  private ApiResponse settle(LeaseTokenBatch batch, Decider decider) {
    Map<Integer, Decision> decisions = new LinkedHashMap<>();
    // All are read before the first is settled: an invalid request changes nothing.
    batch.each((index, task, fields) -> decisions.put(index, decider.decide(task, fields)));
    followUps.send(decisions.values().stream().flatMap(each -> each.followUp().stream()).toList());
    List<Optional<Outcome>> applied =
        catalog.leases().settle(decisions.values().stream().map(Decision::outcome).toList());
    List<Integer> indexes = List.copyOf(decisions.keySet());
    for (int i = 0; i < applied.size(); i++) {
      batch.set(indexes.get(i), state(applied.get(i)));
    }
    return batch.response();
  }

  /**
   * The state that the response reports.
   *
   * @param applied empty if the lease is lost
   */
  private static String state(Optional<Outcome> applied) {
    if (applied.isEmpty()) {
      return LeaseTokenBatch.LOST;
    }
    return switch (applied.get().kind()) {
      case DONE -> "completed";
      case RETRY -> "retried";
      case SNOOZE -> "snoozed";
      case ARCHIVE -> "archived";
      case DROP -> "dropped";
      case REQUEUE -> "released";
    };
  }
}
