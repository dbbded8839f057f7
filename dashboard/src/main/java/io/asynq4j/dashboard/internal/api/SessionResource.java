package io.asynq4j.dashboard.internal.api;

import io.asynq4j.TaskState;
import io.asynq4j.dashboard.HiddenField;
import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.internal.auth.User;
import io.asynq4j.dashboard.internal.config.DashboardSettings;
import io.asynq4j.dashboard.internal.page.ClasspathFiles;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.JsonFields;
import io.asynq4j.http.Route;
import io.asynq4j.inspect.TaskAction;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The session of the user, health, and the API description. */
public final class SessionResource {

  private final DashboardSettings settings;

  public SessionResource(DashboardSettings settings) {
    this.settings = settings;
  }

  /** Does not require a login. */
  public static Route<Role, Exchange> health() {
    return Route.of(
        "health",
        "GET",
        "/health",
        null,
        e -> ApiResponse.ok(new JsonFields().put("status", "up")));
  }

  public List<Route<Role, Exchange>> routes() {
    return List.of(
        Route.of("openapi", "GET", "/api/v1/openapi.yaml", Role.VIEWER, this::openapi),
        Route.of("session", "GET", "/api/v1/session", Role.VIEWER, this::session));
  }

  private ApiResponse openapi(Exchange exchange) {
    byte[] bytes = Objects.requireNonNull(ClasspathFiles.read("openapi.yaml"), "openapi.yaml");
    return ApiResponse.bytes(bytes, "application/yaml; charset=utf-8");
  }

  private ApiResponse session(Exchange exchange) {
    User user = exchange.user();
    return ApiResponse.ok(
        new JsonFields()
            .put("user", user.name())
            .put("role", user.grant().role().word())
            .put("queues", user.grant().queues())
            .put("readOnly", settings.readOnly())
            .put("title", settings.title())
            .put("version", version())
            .put("redis", settings.redis().keySet())
            .put("hidden", settings.hidden().stream().map(HiddenField::word).sorted().toList())
            .put("metrics", settings.metrics())
            .put("actions", actions())
            .put("requestHeader", Exchange.REQUEST_HEADER));
  }

  /** The states in which each action on a task is possible. */
  private static Map<String, List<String>> actions() {
    Map<String, List<String>> actions = new LinkedHashMap<>();
    for (TaskAction action : TaskAction.values()) {
      actions.put(action.word(), action.states().stream().map(TaskState::word).toList());
    }
    return actions;
  }

  private static String version() {
    String version = SessionResource.class.getPackage().getImplementationVersion();
    return version == null ? "dev" : version;
  }
}
