package io.asynq4j.dashboard.internal.api;

import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.internal.live.QueueSizeHistory;
import io.asynq4j.dashboard.internal.live.RedisInstance;
import io.asynq4j.dashboard.internal.live.ThroughputHistory;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.JsonFields;
import io.asynq4j.http.Route;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.function.Predicate;

/** The overview, the history of the last hour, and live updates. */
public final class OverviewResource {

  public List<Route<Role, Exchange>> routes() {
    return List.of(
        Route.of("overview", "GET", "/api/v1/overview", Role.VIEWER, this::overview),
        Route.of("history", "GET", "/api/v1/history", Role.VIEWER, this::history),
        Route.of("levels", "GET", "/api/v1/history/levels", Role.VIEWER, this::levels),
        Route.of("events", "GET", "/api/v1/events", Role.VIEWER, this::events));
  }

  private ApiResponse overview(Exchange exchange) {
    RedisInstance source = exchange.source();
    return ApiResponse.ok(source.overview().of(source.poller().fresh(), exchange.user().grant()));
  }

  private ApiResponse history(Exchange exchange) {
    String queue = exchange.param("queue");
    Predicate<String> wanted =
        queue == null ? exchange.user()::sees : exchange.visible(queue)::equals;
    return ApiResponse.ok(
        new JsonFields()
            .put("intervalMs", ThroughputHistory.INTERVAL.toMillis())
            .put(
                "points",
                exchange.source().throughput().points(wanted).stream()
                    .map(JsonFields::map)
                    .toList()));
  }

  private ApiResponse levels(Exchange exchange) {
    QueueSizeHistory levels = exchange.source().queueSizes();
    String queue = exchange.param("queue");
    List<JsonFields> points =
        queue != null
            ? levels.points(exchange.visible(queue)::equals)
            : exchange.user().grant().seesAll()
                ? levels.points()
                : levels.points(exchange.user()::sees);
    return ApiResponse.ok(
        new JsonFields()
            .put("intervalMs", QueueSizeHistory.INTERVAL.toMillis())
            .put("points", points.stream().map(JsonFields::map).toList()));
  }

  private ApiResponse events(Exchange exchange) {
    RedisInstance source = exchange.source();
    HttpServletResponse response = exchange.response();
    if (!exchange.request().isAsyncSupported()) {
      throw Problems.notLive(
          "Live updates need asynchronous requests, which are disabled. Enable them for the"
              + " servlet and for every filter in front of it.");
    }
    response.setStatus(200);
    response.setContentType("text/event-stream;charset=utf-8");
    response.setHeader("Cache-Control", "no-store");
    // Buffering proxies would delay the events.
    response.setHeader("X-Accel-Buffering", "no");
    if (exchange.request().getMethod().equals("HEAD")) {
      return ApiResponse.TAKEN_OVER;
    }
    AsyncContext context = exchange.request().startAsync();
    try {
      source.events().open(context, exchange.user());
    } catch (RuntimeException e) {
      context.complete();
      throw e;
    }
    return ApiResponse.TAKEN_OVER;
  }
}
