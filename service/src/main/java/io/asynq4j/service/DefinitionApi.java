package io.asynq4j.service;

import io.asynq4j.RateLimit;
import io.asynq4j.definition.FollowUps;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskKind;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The central list over HTTP. What a request may define is only done by workers: what the service
 * itself calls or runs is decided by the file. Thread-safe.
 */
final class DefinitionApi {

  private final Catalog catalog;
  private final Runnable changed;
  private final Supplier<ServiceConfig> config;

  /**
   * @param changed to be called when the list has changed
   */
  DefinitionApi(Catalog catalog, Runnable changed, Supplier<ServiceConfig> config) {
    this.catalog = catalog;
    this.changed = changed;
    this.config = config;
  }

  CompletionStage<Answer> list(Exchange exchange) {
    ObjectNode body = Json.object();
    ArrayNode list = body.putArray("definitions");
    catalog.all().stream()
        .map(Catalog.Entry::definition)
        .filter(definition -> exchange.caller().allows(definition.name()))
        .forEach(definition -> list.add(json(definition)));
    return CompletableFuture.completedFuture(Answer.json(200, body));
  }

  private static ObjectNode json(TaskDefinition definition) {
    ObjectNode json = Json.object();
    json.put("name", definition.name());
    json.put("kind", definition.kind().word());
    json.put("queue", definition.queue().value());
    json.put("weight", definition.weight());
    json.put("maxRun", definition.maxRun());
    json.put("ordered", definition.ordered());
    duration(json, "timeout", definition.timeout());
    if (definition.maxRetry() != null) {
      json.put("retries", definition.maxRetry());
    }
    duration(json, "backoff", definition.backoff());
    duration(json, "retention", definition.retention());
    duration(json, "unique", definition.uniqueFor());
    json.put("maxPending", definition.maxPending());
    if (definition.rate() != null) {
      json.put("rate", Rates.text(definition.rate()));
      json.put("burst", definition.rate().burst());
    }
    FollowUps followUps = definition.followUps();
    if (!followUps.isNone()) {
      ObjectNode names = json.putObject("callbacks");
      names.put("before", followUps.before());
      names.put("success", followUps.success());
      names.put("failure", followUps.failure());
    }
    json.put("fromFile", definition.fromFile());
    return json;
  }

  private static void duration(ObjectNode json, String field, @Nullable Duration value) {
    if (value != null) {
      json.put(field, value.toMillis() + "ms");
    }
  }

  CompletionStage<Answer> put(Exchange exchange) throws Exception {
    String name = exchange.variable(0);
    Access.requireName(exchange.caller(), name);
    requireNotOfFile(name);
    Fields fields = exchange.fields(config.get().limits().body());
    if (!fields.text("kind").orElse("worker").equals("worker")) {
      throw Problem.invalid(
          "kind", "only tasks of kind worker are defined by requests; others by the file");
    }
    TaskDefinition.Builder builder = TaskDefinition.builder(name, TaskKind.WORKER);
    fields.text("queue").ifPresent(builder::queue);
    builder.weight(fields.integer("weight", 1, 1_000, 1));
    builder.maxRun(fields.integer("maxRun", 0, 1_000_000, 0));
    builder.ordered(fields.flag("ordered", false));
    fields.duration("timeout").ifPresent(builder::timeout);
    fields.any("retries").ifPresent(n -> builder.maxRetry(fields.integer("retries", 0, 10_000, 0)));
    fields.duration("backoff").ifPresent(builder::backoff);
    fields.duration("retention").ifPresent(builder::retention);
    fields.duration("unique").ifPresent(builder::uniqueFor);
    builder.maxPending(fields.integer("maxPending", 0, Integer.MAX_VALUE, 0));
    int burst = fields.integer("burst", 0, 1_000_000, 0);
    fields.text("rate").ifPresent(text -> builder.rate(rate(text, burst == 0 ? null : burst)));
    fields.end();
    TaskDefinition definition;
    try {
      definition = builder.build();
      catalog.definitions().put(definition);
    } catch (IllegalArgumentException e) {
      throw Problem.invalid("", String.valueOf(e.getMessage()));
    }
    changed.run();
    return CompletableFuture.completedFuture(Answer.json(200, json(definition)));
  }

  private static RateLimit rate(String text, @Nullable Integer burst) {
    try {
      return Rates.parse(text, Optional.ofNullable(burst));
    } catch (IllegalArgumentException e) {
      throw Problem.invalid("rate", "rate cannot be used: " + e.getMessage());
    }
  }

  CompletionStage<Answer> remove(Exchange exchange) {
    String name = exchange.variable(0);
    Access.requireName(exchange.caller(), name);
    requireNotOfFile(name);
    if (!catalog.definitions().remove(name)) {
      throw new Problem(404, "not-found", "no task is defined by this name");
    }
    changed.run();
    return CompletableFuture.completedFuture(Answer.json(200, Json.object()));
  }

  private void requireNotOfFile(String name) {
    if (catalog.find(name).filter(entry -> entry.definition().fromFile()).isPresent()) {
      throw Problem.conflict(
          "of-file", "this task is defined by the configuration file; change it there", null);
    }
  }
}
