package io.asynq4j.service.api;

import static io.asynq4j.service.auth.Scope.OPERATE;
import static io.asynq4j.service.auth.Scope.SUBMIT;
import static io.asynq4j.service.auth.Scope.WORK;

import io.asynq4j.http.Route;
import io.asynq4j.service.auth.Scope;
import java.util.List;

/** The routes of the HTTP API, with the scope that each needs. */
public final class ServiceRoutes {

  private static final String DEFINITION = "/v1/definitions/{name}";
  private static final String LIMITS = DEFINITION + "/limits";

  private ServiceRoutes() {}

  public static List<Route<Scope, Exchange>> of(
      OperationsApi operations,
      SubmitApi submissions,
      TaskApi tasks,
      LeaseApi leases,
      SettleApi settlements,
      DefinitionApi definitions) {
    return List.of(
        Route.of("live", "GET", "/livez", null, exchange -> operations.live()),
        Route.of("ready", "GET", "/readyz", null, exchange -> operations.ready()),
        Route.of("metrics", "GET", "/metrics", OPERATE, operations::metrics),
        Route.of("openapi", "GET", "/v1/openapi.json", null, exchange -> operations.openApi()),
        Route.of("submit", "POST", "/v1/tasks", SUBMIT, submissions::submit),
        Route.async("getTask", "GET", "/v1/tasks/{id}", SUBMIT, tasks::get),
        Route.of("cancelTask", "POST", "/v1/tasks/{id}/cancel", OPERATE, tasks::cancel),
        Route.of("retryTask", "POST", "/v1/tasks/{id}/retry", OPERATE, tasks::retry),
        Route.async(
            "lease",
            "POST",
            "/v1/lease",
            WORK,
            exchange -> operations.unlessDraining(exchange, leases::lease)),
        Route.of("complete", "POST", "/v1/complete", WORK, settlements::complete),
        Route.of("fail", "POST", "/v1/fail", WORK, settlements::fail),
        Route.of("snooze", "POST", "/v1/snooze", WORK, settlements::snooze),
        Route.of("release", "POST", "/v1/release", WORK, settlements::release),
        Route.of("extend", "POST", "/v1/extend", WORK, leases::extend),
        Route.of("progress", "POST", "/v1/progress", WORK, leases::progress),
        Route.of("listDefinitions", "GET", "/v1/definitions", OPERATE, definitions::list),
        Route.of("putDefinition", "PUT", DEFINITION, OPERATE, definitions::put),
        Route.of("getLimits", "GET", LIMITS, OPERATE, definitions::limits),
        Route.of("putLimits", "PUT", LIMITS, OPERATE, definitions::setLimits),
        Route.of("deleteDefinition", "DELETE", DEFINITION, OPERATE, definitions::remove),
        Route.of("reload", "POST", "/v1/reload", OPERATE, operations::reload));
  }
}
