package io.asynq4j.service;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.handler.Outcome;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.Json;
import io.asynq4j.http.RequestFields;
import io.asynq4j.lease.LeasedTask.LeaseOutcome;
import io.asynq4j.lease.LeasedTask.LeaseProgress;
import io.asynq4j.lease.LeasedTask.LeaseProof;
import io.asynq4j.lease.LeasedTask.LeaseResult;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.service.api.Exchange;
import io.asynq4j.service.api.Problems;
import io.asynq4j.service.api.TaskJson;
import io.asynq4j.service.auth.AccessControl;
import io.asynq4j.service.auth.ApiKey;
import io.asynq4j.service.definition.DefinitionCatalog;
import io.asynq4j.service.definition.FollowUpTasks.Attempt;
import io.asynq4j.service.definition.FollowUpTasks;
import io.asynq4j.service.lease.LeaseDispatcher;
import io.asynq4j.service.lease.LeaseToken;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The lease protocol for workers of other processes and languages. Thread-safe. */
final class LeaseApi {

  private static final Logger log = LoggerFactory.getLogger(LeaseApi.class);

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);
  private static final int MOST = 1_000;
  private static final String CANCELLED = "it was cancelled";
  private static final String TOO_LONG = "the worker took longer than the task's timeout";

  private final DefinitionCatalog catalog;
  private final LeaseDispatcher desk;
  private final FollowUpTasks followUps;
  private final Supplier<ServiceConfig> config;

  LeaseApi(
      DefinitionCatalog catalog,
      LeaseDispatcher desk,
      FollowUpTasks followUps,
      Supplier<ServiceConfig> config) {
    this.catalog = catalog;
    this.desk = desk;
    this.followUps = followUps;
    this.config = config;
  }

  CompletionStage<ApiResponse> lease(Exchange exchange) throws Exception {
    RequestFields fields = exchange.fields(config.get().limits().body());
    List<String> queues =
        fields.texts("names", MOST).stream()
            .map(name -> queueOf(name, exchange.caller()))
            .distinct()
            .toList();
    int max = fields.integer("max", 1, MOST, 1);
    Duration wait =
        fields
            .text("wait")
            .map(text -> Exchange.waitTime(text, LONGEST_WAIT))
            .orElse(Duration.ZERO);
    Duration lease = leaseTime(fields);
    fields.end();
    return desk.lease(queues, max, lease, wait).thenApply(this::leased);
  }

  private String queueOf(String name, ApiKey caller) {
    AccessControl.requireName(caller, name);
    return catalog
        .find(name)
        .map(DefinitionCatalog.Entry::definition)
        .filter(definition -> definition.kind() == TaskKind.WORKER)
        .map(definition -> definition.queue().value())
        .orElseThrow(
            () ->
                Problems.invalid("names", "no task of kind worker has the name \"" + name + "\""));
  }

  private Duration leaseTime(RequestFields fields) {
    ServiceConfig.LeaseTimes times = config.get().leases();
    Duration lease = fields.duration("lease").orElse(times.usual());
    if (lease.compareTo(Duration.ofSeconds(1)) < 0 || lease.compareTo(times.longest()) > 0) {
      throw Problems.invalid(
          "lease", "lease must be from 1s to %ds".formatted(times.longest().toSeconds()));
    }
    return lease;
  }

  private ApiResponse leased(List<LeasedTask> tasks) {
    ObjectNode body = Json.object();
    ArrayNode list = body.putArray("tasks");
    List<EnqueueRequest> befores = new ArrayList<>();
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
      followUp(task, followUps::before).ifPresent(befores::add);
    }
    try {
      followUps.send(befores);
    } catch (RuntimeException | Error e) {
      giveBack(tasks);
      throw e;
    }
    return ApiResponse.json(200, body).orElse(() -> giveBack(tasks));
  }

  /**
   * Only for tasks of the name that the queue belongs to: a holder of a key for one queue must not
   * have tasks enqueued that follow those of another.
   */
  private Optional<EnqueueRequest> followUp(
      LeasedTask task, Function<Attempt, Optional<EnqueueRequest>> of) {
    String name = task.task().type();
    Optional<TaskDefinition> owner =
        catalog.ofQueue(task.queue().value()).map(DefinitionCatalog.Entry::definition);
    if (owner.filter(definition -> definition.name().equals(name)).isEmpty()) {
      return Optional.empty();
    }
    return of.apply(new Attempt(task.id(), name, task.retried() + 1, task.task().payload()));
  }

  /** The worker has gone before it could be told. */
  private void giveBack(List<LeasedTask> tasks) {
    try {
      catalog
          .leases()
          .settle(tasks.stream().map(task -> new LeaseOutcome(task, Outcome.requeue())).toList());
    } catch (RuntimeException e) {
      log.warn("{} tasks of a worker that has gone wait for the end of their lease", tasks.size());
    }
  }

  CompletionStage<ApiResponse> complete(Exchange exchange) throws Exception {
    Batch batch = new Batch(exchange);
    return batch.isFollowedUp() ? completeAndTell(batch) : complete(batch);
  }

  private CompletionStage<ApiResponse> complete(Batch batch) {
    List<LeaseResult> results = new ArrayList<>();
    batch.eachProof(
        (proof, fields) ->
            results.add(
                new LeaseResult(
                    proof,
                    fields.any("result").map(LeaseApi::payload).orElseGet(Payload::absent))));
    List<Optional<Outcome>> applied = catalog.leases().complete(results);
    for (int i = 0; i < applied.size(); i++) {
      batch.answer(i, state(applied.get(i)));
    }
    return batch.answer();
  }

  private CompletionStage<ApiResponse> completeAndTell(Batch batch) {
    return settle(
        batch,
        (task, fields) -> {
          Optional<JsonNode> result = fields.any("result");
          return new Decided(
              new LeaseOutcome(task, Outcome.done(result.map(LeaseApi::payload).orElse(null))),
              followUp(task, attempt -> followUps.succeeded(attempt, result.orElse(null))));
        });
  }

  private static Payload payload(JsonNode value) {
    return Payload.of(Json.bytes(value));
  }

  CompletionStage<ApiResponse> fail(Exchange exchange) throws Exception {
    return settle(
        exchange,
        (task, fields) -> {
          String error = fields.text("error").orElse("the worker has said no reason");
          Optional<Duration> in = fields.duration("in");
          boolean again = fields.flag("retry", true);
          Outcome failed =
              again
                  ? in.map(delay -> Outcome.retry(error, delay))
                      .orElseGet(() -> Outcome.retry(error))
                  : Outcome.archive(error);
          Outcome outcome = unlessCancelled(task, failed);
          boolean willRetry = outcome.kind() == Outcome.Kind.RETRY && !task.isLastAttempt();
          return new Decided(
              new LeaseOutcome(task, outcome),
              followUp(task, attempt -> followUps.failed(attempt, error, willRetry)));
        });
  }

  /** A worker that stops because it was told to has not failed: the canceller decides. */
  private static Outcome unlessCancelled(LeasedTask task, Outcome outcome) {
    return task.cancelled().map(after -> Outcome.cancelled(after, CANCELLED)).orElse(outcome);
  }

  CompletionStage<ApiResponse> snooze(Exchange exchange) throws Exception {
    return settle(
        exchange,
        (task, fields) -> {
          Duration in =
              fields
                  .duration("in")
                  .orElseThrow(() -> Problems.invalid("in", "in is missing: for how long"));
          return Decided.unlessCancelled(task, Outcome.snooze(in));
        });
  }

  CompletionStage<ApiResponse> release(Exchange exchange) throws Exception {
    return settle(exchange, (task, fields) -> Decided.unlessCancelled(task, Outcome.requeue()));
  }

  /**
   * What is to become of a task.
   *
   * @param followUp is enqueued first: if this process ends in between, it is rather told twice
   */
  private record Decided(LeaseOutcome outcome, Optional<EnqueueRequest> followUp) {

    static Decided unlessCancelled(LeasedTask task, Outcome outcome) {
      return new Decided(
          new LeaseOutcome(task, LeaseApi.unlessCancelled(task, outcome)), Optional.empty());
    }
  }

  private interface Decision {
    Decided of(LeasedTask task, RequestFields fields);
  }

  private CompletionStage<ApiResponse> settle(Exchange exchange, Decision decision)
      throws Exception {
    return settle(new Batch(exchange), decision);
  }

  private CompletionStage<ApiResponse> settle(Batch batch, Decision decision) {
    Map<Integer, Decided> decided = new LinkedHashMap<>();
    // All are read before the first is settled: a bad request changes nothing.
    batch.each((i, task, fields) -> decided.put(i, decision.of(task, fields)));
    followUps.send(decided.values().stream().flatMap(each -> each.followUp().stream()).toList());
    List<Optional<Outcome>> applied =
        catalog.leases().settle(decided.values().stream().map(Decided::outcome).toList());
    List<Integer> places = List.copyOf(decided.keySet());
    for (int i = 0; i < applied.size(); i++) {
      batch.answer(places.get(i), state(applied.get(i)));
    }
    return batch.answer();
  }

  /**
   * The state that a response names.
   *
   * @param applied empty when the lease is lost
   */
  private static String state(Optional<Outcome> applied) {
    if (applied.isEmpty()) {
      return "lost";
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

  /**
   * Makes leases longer, unless the time of the attempt is over: then it has failed. Where that is
   * not certain, the lease ends without a failure.
   */
  CompletionStage<ApiResponse> extend(Exchange exchange) throws Exception {
    Batch batch = new Batch(exchange);
    Map<Duration, List<Extension>> byLength = new LinkedHashMap<>();
    List<LeaseOutcome> late = new ArrayList<>();
    List<LeasedTask> abandoned = new ArrayList<>();
    List<EnqueueRequest> told = new ArrayList<>();
    TaskLeases leases = catalog.leases();
    batch.each(
        (i, task, fields) -> {
          Duration lease = leaseTime(fields);
          switch (leases.attemptTime(task)) {
            case LEFT ->
                byLength
                    .computeIfAbsent(lease, any -> new ArrayList<>())
                    .add(new Extension(i, task));
            case OVER -> {
              late.add(new LeaseOutcome(task, Outcome.retry(TOO_LONG)));
              boolean willRetry = !task.isLastAttempt();
              followUp(task, attempt -> followUps.failed(attempt, TOO_LONG, willRetry))
                  .ifPresent(told::add);
              batch.answer(i, "lost");
            }
            case UNKNOWN -> {
              abandoned.add(task);
              batch.answer(i, "lost");
            }
          }
        });
    byLength.forEach((lease, extensions) -> extend(leases, lease, extensions, batch));
    followUps.send(told);
    leases.settle(late);
    leases.abandon(abandoned);
    return batch.answer();
  }

  private record Extension(int index, LeasedTask task) {}

  private static void extend(
      TaskLeases leases, Duration lease, List<Extension> extensions, Batch batch) {
    List<Optional<Instant>> ends =
        leases.extend(extensions.stream().map(Extension::task).toList(), lease);
    for (int i = 0; i < ends.size(); i++) {
      Extension extension = extensions.get(i);
      String held = extension.task().cancelled().isPresent() ? "cancelled" : "leased";
      ends.get(i)
          .ifPresentOrElse(
              until -> TaskJson.time(batch.answer(extension.index(), held), "leasedUntil", until),
              () -> batch.answer(extension.index(), "lost"));
    }
  }

  CompletionStage<ApiResponse> progress(Exchange exchange) throws Exception {
    Batch batch = new Batch(exchange);
    Map<Integer, LeaseProgress> reports = new LinkedHashMap<>();
    batch.each(
        (i, task, fields) -> {
          int percent = fields.integer("percent", 0, 100, 0);
          String note = fields.text("note").orElse("");
          if (note.length() > 1_000) {
            throw Problems.invalid("note", "note must have 1000 characters or less");
          }
          reports.put(i, new LeaseProgress(task, new Progress(percent, note)));
        });
    Iterator<Boolean> written = catalog.leases().progress(List.copyOf(reports.values())).iterator();
    reports.forEach(
        (place, report) -> {
          String held = report.task().cancelled().isPresent() ? "cancelled" : "leased";
          batch.answer(place, written.next() ? held : "lost");
        });
    return batch.answer();
  }

  private interface Step {
    void take(int index, LeasedTask task, RequestFields fields);
  }

  /** The tasks of a request, alone or in a list, and what became of each. */
  private final class Batch {
    private final ApiKey caller;
    private final boolean alone;
    private boolean followedUp;
    private @Nullable BrokerUnavailableException unavailable;
    private final List<RequestFields> items = new ArrayList<>();
    private final List<LeaseProof> proofs = new ArrayList<>();
    private final List<ObjectNode> answers = new ArrayList<>();

    Batch(Exchange exchange) throws Exception {
      this.caller = exchange.caller();
      JsonNode body = exchange.json(config.get().limits().batch());
      this.alone = !body.has("tasks");
      if (alone) {
        add(body);
      } else {
        RequestFields fields = new RequestFields(body, "the body", Problems.FACTORY);
        fields.list("tasks", MOST).forEach(this::add);
        fields.end();
      }
    }

    private void add(JsonNode item) {
      RequestFields fields = new RequestFields(item, "a task", Problems.FACTORY);
      LeaseProof proof =
          LeaseToken.parse(fields.required("token"))
              .orElseThrow(() -> Problems.invalid("token", "this is no token of a lease"));
      Optional<TaskDefinition> definition =
          catalog.ofQueue(proof.queue()).map(DefinitionCatalog.Entry::definition);
      definition.ifPresentOrElse(
          each -> AccessControl.requireName(caller, each.name()),
          () -> requireUndefined(proof.queue()));
      followedUp |= definition.map(each -> each.followUps().success() != null).orElse(false);
      items.add(fields);
      proofs.add(proof);
      answers.add(Json.object().put("id", proof.id()));
    }

    /** Perhaps another replica has just defined it. */
    private void requireUndefined(String queue) {
      if (caller.allows(queue)) {
        return;
      }
      catalog.refresh();
      catalog
          .ofQueue(queue)
          .ifPresentOrElse(
              entry -> AccessControl.requireName(caller, entry.definition().name()),
              () -> AccessControl.requireQueue(caller, queue));
    }

    /** Whether a task is enqueued when one of these succeeds. */
    boolean isFollowedUp() {
      return followedUp;
    }

    void eachProof(BiConsumer<LeaseProof, RequestFields> action) {
      for (int i = 0; i < items.size(); i++) {
        action.accept(proofs.get(i), items.get(i));
        items.get(i).end();
      }
    }

    /**
     * Takes a step for each task whose lease is held. Those on a Redis server of a cluster that
     * does not answer are left out, and in the end the answer is that it does not: meanwhile the
     * others must not lose their leases.
     */
    void each(Step step) {
      places().forEach((server, places) -> each(places, step));
    }

    private Map<String, List<Integer>> places() {
      Map<String, List<Integer>> byServer = new LinkedHashMap<>();
      for (int i = 0; i < proofs.size(); i++) {
        String server = catalog.leases().serverOf(proofs.get(i).queue());
        byServer.computeIfAbsent(server, any -> new ArrayList<>()).add(i);
      }
      return byServer;
    }

    private void each(List<Integer> places, Step step) {
      List<Optional<LeasedTask>> tasks;
      try {
        tasks = catalog.leases().restore(places.stream().map(proofs::get).toList());
      } catch (BrokerUnavailableException e) {
        unavailable = e;
        return;
      }
      for (int i = 0; i < tasks.size(); i++) {
        int place = places.get(i);
        if (tasks.get(i).isPresent()) {
          step.take(place, tasks.get(i).get(), items.get(place));
          items.get(place).end();
        } else {
          answer(place, "lost");
        }
      }
    }

    ObjectNode answer(int index, String state) {
      return answers.get(index).put("state", state);
    }

    CompletionStage<ApiResponse> answer() {
      if (unavailable != null) {
        throw unavailable;
      }
      if (alone) {
        ObjectNode only = answers.get(0);
        if (only.path("state").asString("").equals("lost")) {
          throw Problems.conflict(
              "lease-lost", "the lease is another worker's by now, or nobody's: stop", null);
        }
        return CompletableFuture.completedFuture(ApiResponse.json(200, only));
      }
      ObjectNode body = Json.object();
      ArrayNode list = body.putArray("tasks");
      answers.forEach(list::add);
      return CompletableFuture.completedFuture(ApiResponse.json(200, body));
    }
  }
}
