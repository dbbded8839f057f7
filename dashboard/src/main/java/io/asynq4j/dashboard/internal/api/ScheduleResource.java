package io.asynq4j.dashboard.internal.api;

import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.dashboard.internal.view.PageCursor;
import io.asynq4j.dashboard.internal.view.PayloadRenderer;
import io.asynq4j.dashboard.internal.view.ScheduleView;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.JsonFields;
import io.asynq4j.http.Route;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.inspect.ScheduleSnapshot.ScheduleEvent;
import java.util.List;

/** Schedule entries. */
public final class ScheduleResource {

  private final PayloadRenderer contents;

  public ScheduleResource(PayloadRenderer contents) {
    this.contents = contents;
  }

  public List<Route<Role, Exchange>> routes() {
    String one = "/api/v1/schedules/{id}";
    return List.of(
        Route.of("listSchedules", "GET", "/api/v1/schedules", Role.VIEWER, this::list),
        Route.of("getSchedule", "GET", one, Role.VIEWER, this::get),
        Route.of("forgetSchedule", "DELETE", one, Role.ADMIN, this::forget),
        Route.of("scheduleRuns", "GET", one + "/runs", Role.VIEWER, this::runs),
        Route.of("pauseSchedule", "POST", one + "/pause", Role.OPERATOR, this::pause),
        Route.of("resumeSchedule", "POST", one + "/resume", Role.OPERATOR, this::resume),
        Route.of("runSchedule", "POST", one + "/run", Role.OPERATOR, this::run));
  }

  private static List<ScheduleSnapshot> visible(Exchange exchange) {
    return exchange.source().inspector().schedules().stream()
        .filter(schedule -> ScheduleView.isVisible(schedule, exchange.user().grant()))
        .toList();
  }

  private static ScheduleSnapshot find(Exchange exchange) {
    String id = exchange.path("id");
    return visible(exchange).stream()
        .filter(schedule -> schedule.id().equals(id))
        .findFirst()
        .orElseThrow(() -> Problems.notFound("Schedule entry \"" + id + "\" not found."));
  }

  /** Rejects unknown entries, and entries that cannot be controlled. */
  private static String controllable(Exchange exchange) {
    ScheduleSnapshot schedule = find(exchange);
    if (!schedule.isRemembered()) {
      throw Problems.conflict(
          "wrong-state",
          "Schedule entry \""
              + schedule.id()
              + "\" is read-only: it belongs to a Go scheduler, or to a scheduler without leader election.");
    }
    return schedule.id();
  }

  private ApiResponse list(Exchange exchange) {
    List<ScheduleSnapshot> all = visible(exchange);
    return ApiResponse.ok(
        new JsonFields()
            .put(
                "items",
                all.stream()
                    .map(
                        schedule ->
                            ScheduleView.fields(
                                    schedule,
                                    contents,
                                    exchange.source().now(),
                                    PayloadRenderer.PREVIEW)
                                .map())
                    .toList())
            .put("total", all.size()));
  }

  private ApiResponse get(Exchange exchange) {
    return ApiResponse.ok(
        ScheduleView.fields(
            find(exchange), contents, exchange.source().now(), PayloadRenderer.WHOLE));
  }

  private ApiResponse runs(Exchange exchange) {
    String id = find(exchange).id();
    int limit = exchange.limit();
    int offset =
        exchange.param("cursor") == null
            ? exchange.integer("offset", 0, 0, Integer.MAX_VALUE - 1)
            : PageCursor.readOffset(exchange.param("cursor"));
    List<ScheduleEvent> events = exchange.source().inspector().scheduleHistory(id, offset, limit);
    return ApiResponse.ok(
        new JsonFields()
            .put(
                "items",
                events.stream()
                    .map(
                        event ->
                            new JsonFields()
                                .put("taskId", event.taskId())
                                .put("enqueuedAt", event.enqueuedAt())
                                .put("problem", event.problem())
                                .map())
                    .toList())
            .put("cursor", events.size() == limit ? PageCursor.of(offset + limit) : null));
  }

  private ApiResponse pause(Exchange exchange) {
    String id = controllable(exchange);
    if (!exchange.source().inspector().pauseSchedule(id)) {
      throw Problems.conflict("wrong-state", "Schedule entry \"" + id + "\" is already paused.");
    }
    return ApiResponse.NO_CONTENT;
  }

  private ApiResponse resume(Exchange exchange) {
    String id = controllable(exchange);
    if (!exchange.source().inspector().resumeSchedule(id)) {
      throw Problems.conflict("wrong-state", "Schedule entry \"" + id + "\" is not paused.");
    }
    return ApiResponse.NO_CONTENT;
  }

  private ApiResponse run(Exchange exchange) {
    exchange.source().inspector().runSchedule(controllable(exchange));
    return ApiResponse.empty(202);
  }

  private ApiResponse forget(Exchange exchange) {
    exchange.source().inspector().forgetSchedule(controllable(exchange));
    return ApiResponse.NO_CONTENT;
  }
}
