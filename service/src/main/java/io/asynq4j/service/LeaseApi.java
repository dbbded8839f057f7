package io.asynq4j.service;

import io.asynq4j.Payload;
import io.asynq4j.RetryPolicy;
import io.asynq4j.definition.TaskKind;
import io.asynq4j.lease.LeaseEnd;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.lease.Verdict;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
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
  private static final int LONGEST_ERROR = 2_000;

  private final Catalog catalog;
  private final LeaseDesk desk;
  private final Clock clock;
  private final Supplier<ServiceConfig> config;

  LeaseApi(Catalog catalog, LeaseDesk desk, Clock clock, Supplier<ServiceConfig> config) {
    this.catalog = catalog;
    this.desk = desk;
    this.clock = clock;
    this.config = config;
  }

  CompletionStage<Answer> lease(Exchange exchange) throws Exception {
    Fields fields = exchange.fields(config.get().limits().body());
    List<String> queues = new ArrayList<>();
    for (JsonNode name : list(fields, "names")) {
      queues.add(queueOf(name.asString(), exchange.caller()));
    }
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

  private static JsonNode list(Fields fields, String field) {
    JsonNode list =
        fields.any(field).orElseThrow(() -> Problem.invalid(field, field + " is missing"));
    if (!list.isArray() || list.isEmpty() || list.size() > MOST) {
      throw Problem.invalid(field, "%s must be a list of 1 to %d".formatted(field, MOST));
    }
    return list;
  }

  private String queueOf(String name, ApiKey caller) {
    Access.requireName(caller, name);
    return catalog
        .find(name)
        .map(Catalog.Entry::definition)
        .filter(definition -> definition.kind() == TaskKind.WORKER)
        .map(definition -> definition.queue().value())
        .orElseThrow(
            () -> Problem.invalid("names", "no task of kind worker has the name \"" + name + "\""));
  }

  private Duration leaseTime(Fields fields) {
    ServiceConfig.LeaseTimes times = config.get().leases();
    Duration lease = fields.duration("lease").orElse(times.usual());
    if (lease.compareTo(Duration.ofSeconds(1)) < 0 || lease.compareTo(times.longest()) > 0) {
      throw Problem.invalid(
          "lease", "lease must be from 1s to %ds".formatted(times.longest().toSeconds()));
    }
    return lease;
  }

  private Answer leased(List<LeasedTask> tasks) {
    ObjectNode body = Json.object();
    ArrayNode list = body.putArray("tasks");
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
    }
    return Answer.json(200, body).orElse(() -> giveBack(tasks));
  }

  /** The worker has gone before it could be told. */
  private void giveBack(List<LeasedTask> tasks) {
    try {
      catalog.leases().settle(tasks.stream().map(Verdict.Release::new).toList());
    } catch (RuntimeException e) {
      log.warn("{} tasks of a worker that has gone wait for the end of their lease", tasks.size());
    }
  }

  CompletionStage<Answer> complete(Exchange exchange) throws Exception {
    return settle(
        exchange,
        (task, fields) ->
            new Verdict.Complete(
                task, fields.any("result").map(LeaseApi::payload).orElseGet(Payload::absent)));
  }

  private static Payload payload(JsonNode value) {
    return Payload.of(Json.bytes(value));
  }

  CompletionStage<Answer> fail(Exchange exchange) throws Exception {
    return settle(
        exchange,
        (task, fields) -> {
          String error = shortened(fields.text("error").orElse("the worker has said no reason"));
          Optional<Duration> in = fields.duration("in");
          return fields.flag("retry", true)
              ? new Verdict.Retry(task, error, in.or(() -> delay(task, error)).orElse(null))
              : new Verdict.Archive(task, error);
        });
  }

  private static String shortened(String error) {
    return error.length() <= LONGEST_ERROR ? error : error.substring(0, LONGEST_ERROR) + "…";
  }

  private Optional<Duration> delay(LeasedTask task, String error) {
    Optional<RetryPolicy> policy =
        catalog.ofQueue(task.queue().value()).flatMap(entry -> entry.definition().retryPolicy());
    return policy.map(
        each -> each.delay(task.retried(), new IllegalStateException(error), task.task()));
  }

  CompletionStage<Answer> snooze(Exchange exchange) throws Exception {
    return settle(
        exchange,
        (task, fields) ->
            new Verdict.Snooze(
                task,
                fields
                    .duration("in")
                    .orElseThrow(() -> Problem.invalid("in", "in is missing: for how long"))));
  }

  CompletionStage<Answer> release(Exchange exchange) throws Exception {
    return settle(exchange, (task, fields) -> new Verdict.Release(task));
  }

  private interface Decision {
    Verdict of(LeasedTask task, Fields fields);
  }

  private CompletionStage<Answer> settle(Exchange exchange, Decision decision) throws Exception {
    Batch batch = new Batch(exchange);
    Map<Integer, Verdict> verdicts = new LinkedHashMap<>();
    // All are read before the first is settled: a bad request changes nothing.
    batch.each((i, task, fields) -> verdicts.put(i, decision.of(task, fields)));
    List<LeaseEnd> ends = catalog.leases().settle(List.copyOf(verdicts.values()));
    List<Integer> places = List.copyOf(verdicts.keySet());
    for (int i = 0; i < ends.size(); i++) {
      LeaseEnd end = ends.get(i);
      batch.answer(places.get(i), end.isLost() ? "lost" : end.name().toLowerCase(Locale.ROOT));
    }
    return batch.answer();
  }

  /** Makes leases longer, unless the time of the attempt is over: then it has failed. */
  CompletionStage<Answer> extend(Exchange exchange) throws Exception {
    Batch batch = new Batch(exchange);
    List<Extension> extensions = new ArrayList<>();
    batch.each((i, task, fields) -> extensions.add(new Extension(i, task, leaseTime(fields))));
    extensions.forEach(extension -> extend(extension, batch));
    return batch.answer();
  }

  private record Extension(int index, LeasedTask task, Duration lease) {}

  private void extend(Extension extension, Batch batch) {
    TaskLeases leases = catalog.leases();
    LeasedTask task = extension.task();
    if (!task.deadline().isAfter(clock.instant())) {
      String error = "the worker took longer than the task's timeout";
      leases.settle(List.of(new Verdict.Retry(task, error, delay(task, error).orElse(null))));
      batch.answer(extension.index(), "lost");
      return;
    }
    leases
        .extend(task, extension.lease())
        .ifPresentOrElse(
            until ->
                TaskJson.time(batch.answer(extension.index(), "leased"), "leasedUntil", until),
            () -> batch.answer(extension.index(), "lost"));
  }

  CompletionStage<Answer> progress(Exchange exchange) throws Exception {
    Batch batch = new Batch(exchange);
    batch.each(
        (i, task, fields) -> {
          int percent = fields.integer("percent", 0, 100, 0);
          String note = fields.text("note").orElse("");
          if (note.length() > 1_000) {
            throw Problem.invalid("note", "note must have 1000 characters or less");
          }
          boolean written = catalog.leases().progress(task, percent, note);
          batch.answer(i, written ? "leased" : "lost");
        });
    return batch.answer();
  }

  private interface Step {
    void take(int index, LeasedTask task, Fields fields);
  }

  /** The tasks of a request, alone or in a list, and what became of each. */
  private final class Batch {
    private final ApiKey caller;
    private final boolean alone;
    private final List<JsonNode> items = new ArrayList<>();
    private final List<ObjectNode> answers = new ArrayList<>();

    Batch(Exchange exchange) throws Exception {
      this.caller = exchange.caller();
      ServiceConfig.Limits limits = config.get().limits();
      exchange.isLines();
      JsonNode body = Json.parse(exchange.body(limits.batch()), "the body");
      this.alone = !body.has("tasks");
      if (alone) {
        items.add(body);
      } else {
        Fields fields = new Fields(body, "the body");
        list(fields, "tasks").forEach(items::add);
        fields.end();
      }
      items.forEach(item -> answers.add(Json.object()));
    }

    void each(Step step) {
      for (int i = 0; i < items.size(); i++) {
        Fields fields = new Fields(items.get(i), "a task");
        LeaseToken token =
            LeaseToken.parse(fields.required("token"))
                .orElseThrow(() -> Problem.invalid("token", "this is no token of a lease"));
        catalog
            .ofQueue(token.queue())
            .ifPresent(entry -> Access.requireName(caller, entry.definition().name()));
        answers.get(i).put("id", token.id());
        Optional<LeasedTask> task =
            catalog.leases().restore(token.queue(), token.id(), token.token());
        if (task.isPresent()) {
          step.take(i, task.get(), fields);
          fields.end();
        } else {
          answer(i, "lost");
        }
      }
    }

    ObjectNode answer(int index, String state) {
      return answers.get(index).put("state", state);
    }

    CompletionStage<Answer> answer() {
      if (alone) {
        ObjectNode only = answers.get(0);
        if (only.path("state").asString("").equals("lost")) {
          throw Problem.conflict(
              "lease-lost", "the lease is another worker's by now, or nobody's: stop", null);
        }
        return CompletableFuture.completedFuture(Answer.json(200, only));
      }
      ObjectNode body = Json.object();
      ArrayNode list = body.putArray("tasks");
      answers.forEach(list::add);
      return CompletableFuture.completedFuture(Answer.json(200, body));
    }
  }
}
