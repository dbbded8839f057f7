package io.asynq4j.dashboard;

import io.asynq4j.inspect.ScheduleEvent;
import io.asynq4j.inspect.ScheduleSnapshot;
import java.util.List;

/** Periodic entries. */
final class ScheduleResource {

  private final PayloadRenderer contents;

  ScheduleResource(PayloadRenderer contents) {
    this.contents = contents;
  }

  List<Route> routes() {
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
        .orElseThrow(() -> Problem.notFound("There is no schedule \"" + id + "\"."));
  }

  /** Fails for what is not there or not controllable, before it is done. */
  private static String controllable(Exchange exchange) {
    ScheduleSnapshot schedule = find(exchange);
    if (!schedule.isRemembered()) {
      throw Problem.conflict(
          "wrong-state",
          "\""
              + schedule.id()
              + "\" is an entry of a Go scheduler, or of one without a leader; it can only be looked at.");
    }
    return schedule.id();
  }

  private Reply list(Exchange exchange) {
    List<ScheduleSnapshot> all = visible(exchange);
    return Reply.ok(
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

  private Reply get(Exchange exchange) {
    return Reply.ok(
        ScheduleView.fields(
            find(exchange), contents, exchange.source().now(), PayloadRenderer.WHOLE));
  }

  private Reply runs(Exchange exchange) {
    String id = find(exchange).id();
    int limit = exchange.limit();
    int offset =
        exchange.param("cursor") == null
            ? exchange.integer("offset", 0, 0, Integer.MAX_VALUE - 1)
            : PageCursor.readOffset(exchange.param("cursor"));
    List<ScheduleEvent> events = exchange.source().inspector().scheduleHistory(id, offset, limit);
    return Reply.ok(
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

  private Reply pause(Exchange exchange) {
    String id = controllable(exchange);
    if (!exchange.source().inspector().pauseSchedule(id)) {
      throw Problem.conflict("wrong-state", "\"" + id + "\" is paused already.");
    }
    return Reply.NO_CONTENT;
  }

  private Reply resume(Exchange exchange) {
    String id = controllable(exchange);
    if (!exchange.source().inspector().resumeSchedule(id)) {
      throw Problem.conflict("wrong-state", "\"" + id + "\" is not paused.");
    }
    return Reply.NO_CONTENT;
  }

  private Reply run(Exchange exchange) {
    exchange.source().inspector().runSchedule(controllable(exchange));
    return Reply.accepted();
  }

  private Reply forget(Exchange exchange) {
    exchange.source().inspector().forgetSchedule(controllable(exchange));
    return Reply.NO_CONTENT;
  }
}
