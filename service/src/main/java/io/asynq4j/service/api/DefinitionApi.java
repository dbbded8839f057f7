package io.asynq4j.service.api;

import io.asynq4j.RateLimit;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.FollowUps;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.Json;
import io.asynq4j.http.RequestFields;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueLimits;
import io.asynq4j.internal.text.Glob;
import io.asynq4j.service.auth.AccessControl;
import io.asynq4j.service.auth.DashboardAuthFilter;
import io.asynq4j.service.config.RequestLimits;
import io.asynq4j.service.definition.DefinitionCatalog;
import io.asynq4j.service.response.Problems;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Lists and changes task definitions and limits. Requests can only define tasks of kind worker: the
 * configuration file alone decides what the service itself calls or runs. Thread-safe.
 */
public final class DefinitionApi {

  private final DefinitionCatalog catalog;
  private final Inspector inspector;
  private final Runnable changed;
  private final Supplier<RequestLimits> limits;

  /**
   * @param changed called after a change of the definitions
   */
  public DefinitionApi(
      DefinitionCatalog catalog,
      Inspector inspector,
      Runnable changed,
      Supplier<RequestLimits> limits) {
    this.catalog = catalog;
    this.inspector = inspector;
    this.changed = changed;
    this.limits = limits;
  }

  ApiResponse list(Exchange exchange) {
    ObjectNode body = Json.object();
    ArrayNode list = body.putArray("definitions");
    catalog.all().stream()
        .filter(definition -> exchange.caller().allows(definition.name()))
        .forEach(definition -> list.add(json(definition)));
    return ApiResponse.json(200, body);
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
      json.put("rate", definition.rate().text());
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

  ApiResponse put(Exchange exchange) throws Exception {
    String name = exchange.path("name");
    AccessControl.requireName(exchange.caller(), name);
    requireNotOfFile(name);
    requireNoPattern("name", name);
    RequestFields fields = exchange.fields(limits.get().body());
    if (!fields.text("kind").orElse("worker").equals("worker")) {
      throw Problems.invalid(
          "kind",
          "only tasks of kind worker can be defined by requests; define others in the configuration"
              + " file");
    }
    TaskDefinition.Builder builder = TaskDefinition.builder(name, TaskKind.WORKER);
    fields
        .text("queue")
        .ifPresent(
            queue -> {
              requireNoPattern("queue", queue);
              try {
                builder.queue(queue);
              } catch (IllegalArgumentException e) {
                throw Problems.invalid("queue", String.valueOf(e.getMessage()));
              }
            });
    builder.weight(fields.integer("weight", 1, 1_000, 1));
    builder.maxRun(fields.integer("maxRun", 0, 1_000_000, 0));
    builder.ordered(fields.flag("ordered", false));
    fields.duration("timeout").ifPresent(builder::timeout);
    fields.any("retries").ifPresent(n -> builder.maxRetry(fields.integer("retries", 0, 10_000, 0)));
    fields.duration("backoff").ifPresent(builder::backoff);
    fields.duration("retention").ifPresent(builder::retention);
    fields.duration("unique").ifPresent(builder::uniqueFor);
    builder.maxPending(fields.integer("maxPending", 0, Integer.MAX_VALUE, 0));
    rate(fields).filter(rate -> !rate.isUnlimited()).ifPresent(builder::rate);
    fields.end();
    TaskDefinition definition;
    try {
      definition = builder.build();
      AccessControl.requireQueue(exchange.caller(), definition.queue().value());
      catalog.definitions().put(definition);
    } catch (IllegalArgumentException e) {
      throw Problems.invalid("", String.valueOf(e.getMessage()));
    }
    changed.run();
    return ApiResponse.json(200, json(definition));
  }

  /** Requires a name without wildcards: keys and grants match names by patterns. */
  private static void requireNoPattern(String field, String name) {
    if (!DashboardAuthFilter.isNoPattern(name)) {
      throw Problems.invalid(
          field,
          "\"%s\" must not contain * and must have at most %d characters"
              .formatted(field, Glob.MAX_LENGTH));
    }
  }

  private static Optional<RateLimit> rate(RequestFields fields) {
    int burst = fields.integer("burst", 0, 1_000_000, 0);
    Optional<String> text = fields.text("rate");
    if (text.isEmpty() && burst > 0) {
      throw Problems.invalid("burst", "\"burst\" requires a \"rate\"");
    }
    try {
      return text.map(RateLimit::parse)
          .map(rate -> burst == 0 || rate.isUnlimited() ? rate : rate.withBurst(burst));
    } catch (IllegalArgumentException e) {
      throw Problems.invalid("rate", "\"rate\" is invalid: " + e.getMessage());
    }
  }

  /**
   * Returns the limits that operators have set for a name; they take precedence over the
   * definition.
   */
  ApiResponse limits(Exchange exchange) {
    String queue = queueOf(exchange);
    return ApiResponse.json(200, json(inspector.queue(queue).limits()));
  }

  /** Sets all limits of a name; those that are missing or null are taken from the definition. */
  ApiResponse setLimits(Exchange exchange) throws Exception {
    String queue = queueOf(exchange);
    RequestFields fields = exchange.fields(limits.get().body());
    QueueLimits set = QueueLimits.NONE;
    if (fields.any("maxRun").isPresent()) {
      set = set.withMaxActive(fields.integer("maxRun", 0, 1_000_000, 0));
    }
    if (fields.any("ordered").isPresent()) {
      set = set.withOrdered(fields.flag("ordered", false));
    }
    set = rate(fields).map(set::withRate).orElse(set);
    fields.end();
    inspector.queue(queue).setLimits(set);
    return ApiResponse.json(200, json(set));
  }

  private String queueOf(Exchange exchange) {
    String name = exchange.path("name");
    AccessControl.requireName(exchange.caller(), name);
    return catalog
        .definition(name)
        .map(definition -> definition.queue().value())
        .orElseThrow(() -> Problems.notFound("no task is defined with this name"));
  }

  private static ObjectNode json(QueueLimits limits) {
    ObjectNode json = Json.object();
    limits.maxActive().ifPresent(max -> json.put("maxRun", max));
    limits.ordered().ifPresent(flag -> json.put("ordered", flag));
    limits
        .rate()
        .ifPresent(
            rate -> {
              json.put("rate", rate.text());
              if (!rate.isUnlimited()) {
                json.put("burst", rate.burst());
              }
            });
    return json;
  }

  ApiResponse remove(Exchange exchange) {
    String name = exchange.path("name");
    AccessControl.requireName(exchange.caller(), name);
    requireNotOfFile(name);
    if (!catalog.definitions().remove(name)) {
      throw Problems.notFound("no task is defined with this name");
    }
    changed.run();
    return ApiResponse.json(200, Json.object());
  }

  private void requireNotOfFile(String name) {
    if (catalog.definition(name).filter(TaskDefinition::fromFile).isPresent()) {
      throw Problems.conflict(
          "of-file", "this task is defined by the configuration file; change it there", null);
    }
  }
}
