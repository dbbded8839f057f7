package io.asynq4j.service.api;

import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.Json;
import io.asynq4j.http.Problem;
import io.asynq4j.http.Route;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.service.auth.AccessControl;
import io.asynq4j.service.response.Problems;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/** Probes, metrics, API description and reload of a replica. Thread-safe. */
public final class OperationsApi {

  private static final String OPEN_API = "/io/asynq4j/service/openapi.json";

  private final RedisConnection redis;
  private final ServiceMetrics metrics;
  private final BooleanSupplier draining;
  private final BooleanSupplier active;
  private final Supplier<Set<String>> reload;

  /**
   * @param draining whether the replica is shutting down
   * @param active whether its server executes tasks
   * @param reload reads the configuration again; returns the settings that need a restart, and
   *     throws a problem if it is invalid
   */
  public OperationsApi(
      RedisConnection redis,
      ServiceMetrics metrics,
      BooleanSupplier draining,
      BooleanSupplier active,
      Supplier<Set<String>> reload) {
    this.redis = redis;
    this.metrics = metrics;
    this.draining = draining;
    this.active = active;
    this.reload = reload;
  }

  ApiResponse live() {
    return state("live");
  }

  ApiResponse ready() {
    if (draining.getAsBoolean() || !active.getAsBoolean()) {
      throw notReady();
    }
    redis.ping();
    return state("ready");
  }

  private static ApiResponse state(String state) {
    return ApiResponse.json(200, Json.object().put("state", state));
  }

  /** Calls an endpoint that a replica does not serve while it shuts down. */
  CompletionStage<ApiResponse> unlessDraining(
      Exchange exchange, Route.AsyncEndpoint<Exchange> endpoint) throws Exception {
    if (draining.getAsBoolean()) {
      throw notReady();
    }
    return endpoint.handle(exchange);
  }

  private static Problem notReady() {
    return Problems.notNow(
        503, "draining", "this replica is shutting down; use another one", Duration.ofSeconds(1));
  }

  ApiResponse metrics(Exchange exchange) {
    AccessControl.requireUnrestricted(exchange.caller());
    return metrics.scrape();
  }

  ApiResponse openApi() throws IOException {
    try (InputStream document = OperationsApi.class.getResourceAsStream(OPEN_API)) {
      byte[] bytes = Objects.requireNonNull(document, "openapi.json").readAllBytes();
      return ApiResponse.bytes(bytes, ApiResponse.JSON);
    }
  }

  ApiResponse reload(Exchange exchange) {
    AccessControl.requireUnrestricted(exchange.caller());
    ObjectNode body = Json.object();
    reload.get().forEach(body.putArray("needRestart")::add);
    return ApiResponse.json(200, body);
  }
}
