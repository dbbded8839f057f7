package io.asynq4j.service.api;

import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.handler.Outcome;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.Json;
import io.asynq4j.http.RequestFields;
import io.asynq4j.internal.text.DurationFormat;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.LeasedTask.LeaseOutcome;
import io.asynq4j.lease.LeasedTask.LeaseProgress;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.service.auth.AccessControl;
import io.asynq4j.service.auth.ApiKey;
import io.asynq4j.service.config.LeaseTimes;
import io.asynq4j.service.config.RequestLimits;
import io.asynq4j.service.definition.DefinitionCatalog;
import io.asynq4j.service.definition.FollowUpTasks;
import io.asynq4j.service.lease.LeaseDispatcher;
import io.asynq4j.service.lease.LeaseToken;
import io.asynq4j.service.response.Problems;
import io.asynq4j.service.response.TaskJson;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The leasing half of the lease protocol, for workers of other processes and languages: they claim
 * tasks, extend leases and report progress. Thread-safe.
 */
public final class LeaseApi {

  private static final Logger log = LoggerFactory.getLogger(LeaseApi.class);

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);
  private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);
  private static final int MAX_NOTE = 1_000;
  private static final Outcome TIMED_OUT = Outcome.retry("the worker exceeded the task's timeout");

  private final DefinitionCatalog catalog;
  private final LeaseDispatcher dispatcher;
  private final LeaseFollowUps followUps;
  private final Supplier<RequestLimits> limits;
  private final Supplier<LeaseTimes> times;

  public LeaseApi(
      DefinitionCatalog catalog,
      LeaseDispatcher dispatcher,
      FollowUpTasks followUps,
      Supplier<RequestLimits> limits,
      Supplier<LeaseTimes> times) {
    this.catalog = catalog;
    this.dispatcher = dispatcher;
    this.followUps = new LeaseFollowUps(catalog, followUps);
    this.limits = limits;
    this.times = times;
  }

  CompletionStage<ApiResponse> lease(Exchange exchange) throws Exception {
    RequestFields fields = exchange.fields(limits.get().body());
    List<String> queues =
        fields.texts("names", LeaseTokenBatch.MAX_TASKS).stream()
            .map(name -> queueOf(name, exchange.caller()))
            .distinct()
            .toList();
    int max = fields.integer("max", 1, LeaseTokenBatch.MAX_TASKS, 1);
    Duration wait =
        fields
            .text("wait")
            .map(text -> Exchange.waitTime(text, LONGEST_WAIT))
            .orElse(Duration.ZERO);
    Duration lease = leaseTime(fields);
    fields.end();
    return dispatcher.lease(queues, max, lease, wait).thenApply(this::leased);
  }

  private String queueOf(String name, ApiKey caller) {
    AccessControl.requireName(caller, name);
    return catalog
        .definition(name)
        .filter(definition -> definition.kind() == TaskKind.WORKER)
        .map(definition -> definition.queue().value())
        .orElseThrow(
            () ->
                Problems.invalid("names", "no task of kind worker has the name \"" + name + "\""));
  }

  private Duration leaseTime(RequestFields fields) {
    LeaseTimes allowed = times.get();
    Duration lease = fields.duration("lease").orElse(allowed.usual());
    if (lease.compareTo(SHORTEST_LEASE) < 0 || lease.compareTo(allowed.longest()) > 0) {
      throw Problems.invalid(
          "lease",
          "\"lease\" must be a duration from 1s to %s, got %s"
              .formatted(DurationFormat.format(allowed.longest()), DurationFormat.format(lease)));
    }
    return lease;
  }

  private ApiResponse leased(List<LeasedTask> tasks) {
    ObjectNode body = Json.object();
    ArrayNode list = body.putArray("tasks");
    List<EnqueueRequest> before = new ArrayList<>();
    for (LeasedTask task : tasks) {
      ObjectNode json = list.addObject();
      json.put("token", LeaseToken.of(task));
      json.put("id", task.id());
      json.put("name", task.task().type());
      json.set("params", TaskJson.value(task.task().payload()));
      json.put("attempt", task.retried() + 1);
      json.put("maxRetry", task.maxRetry());
      TaskJson.time(json, "deadline", task.deadline());
      TaskJson.time(json, "leasedUntil", task.leasedUntil());
      followUps.before(task).ifPresent(before::add);
    }
    try {
      followUps.send(before);
    } catch (RuntimeException | Error e) {
      requeue(tasks);
      throw e;
    }
    return ApiResponse.json(200, body).orElse(() -> requeue(tasks));
  }

  /** Requeues tasks whose worker did not receive them. */
  private void requeue(List<LeasedTask> tasks) {
    try {
      catalog
          .leases()
          .settle(tasks.stream().map(task -> new LeaseOutcome(task, Outcome.requeue())).toList());
    } catch (RuntimeException e) {
      log.warn(
          "{} leased tasks were not delivered to their worker and could not be requeued;"
              + " they run again when their leases expire: {}",
          tasks.size(),
          e.getMessage());
    }
  }

  /**
   * Extends leases, unless the time of the attempt is over: then the attempt has failed. If that is
   * not certain, the lease ends without a failure.
   */
  ApiResponse extend(Exchange exchange) throws Exception {
    LeaseTokenBatch batch = batch(exchange);
    Map<Duration, List<Extension>> byLength = new LinkedHashMap<>();
    List<LeaseOutcome> timedOut = new ArrayList<>();
    List<LeasedTask> abandoned = new ArrayList<>();
    List<EnqueueRequest> failures = new ArrayList<>();
    TaskLeases leases = catalog.leases();
    batch.each(
        (index, task, fields) -> {
          Duration lease = leaseTime(fields);
          switch (leases.attemptTime(task)) {
            case LEFT ->
                byLength
                    .computeIfAbsent(lease, any -> new ArrayList<>())
                    .add(new Extension(index, task));
            case OVER -> {
              timedOut.add(new LeaseOutcome(task, TIMED_OUT));
              followUps.failed(task, TIMED_OUT).ifPresent(failures::add);
              batch.setLost(index);
            }
            case UNKNOWN -> {
              abandoned.add(task);
              batch.setLost(index);
            }
          }
        });
    byLength.forEach((lease, extensions) -> extend(leases, lease, extensions, batch));
    followUps.send(failures);
    leases.settle(timedOut);
    leases.abandon(abandoned);
    return batch.response();
  }

  private record Extension(int index, LeasedTask task) {}

  private static void extend(
      TaskLeases leases, Duration lease, List<Extension> extensions, LeaseTokenBatch batch) {
    List<Optional<Instant>> ends =
        leases.extend(extensions.stream().map(Extension::task).toList(), lease);
    for (int i = 0; i < ends.size(); i++) {
      Extension each = extensions.get(i);
      ends.get(i)
          .ifPresentOrElse(
              until ->
                  TaskJson.time(batch.setHeld(each.index(), each.task()), "leasedUntil", until),
              () -> batch.setLost(each.index()));
    }
  }

  ApiResponse progress(Exchange exchange) throws Exception {
    LeaseTokenBatch batch = batch(exchange);
    Map<Integer, LeaseProgress> reports = new LinkedHashMap<>();
    batch.each(
        (index, task, fields) -> {
          int percent = fields.integer("percent", 0, 100, 0);
          String note = fields.text("note").orElse("");
          if (note.length() > MAX_NOTE) {
            throw Problems.invalid(
                "note",
                "\"note\" must have at most %d characters, got %d"
                    .formatted(MAX_NOTE, note.length()));
          }
          reports.put(index, new LeaseProgress(task, new Progress(percent, note)));
        });
    Iterator<Boolean> written = catalog.leases().progress(List.copyOf(reports.values())).iterator();
    reports.forEach(
        (index, report) -> {
          if (written.next()) {
            batch.setHeld(index, report.task());
          } else {
            batch.setLost(index);
          }
        });
    return batch.response();
  }

  private LeaseTokenBatch batch(Exchange exchange) throws Exception {
    return new LeaseTokenBatch(exchange, limits.get().batch(), catalog);
  }
}
