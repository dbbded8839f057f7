package io.asynq4j.dashboard.internal.api;

import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.internal.live.RedisInstance;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.dashboard.internal.view.PayloadRenderer;
import io.asynq4j.dashboard.internal.view.ServerView;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.JsonFields;
import io.asynq4j.http.Route;
import io.asynq4j.inspect.ServerSnapshot;
import java.util.List;
import java.util.function.BiPredicate;

/** Live servers. */
public final class ServerResource {

  private final PayloadRenderer contents;

  public ServerResource(PayloadRenderer contents) {
    this.contents = contents;
  }

  public List<Route<Role, Exchange>> routes() {
    String one = "/api/v1/servers/{id}";
    return List.of(
        Route.of("listServers", "GET", "/api/v1/servers", Role.VIEWER, this::list),
        Route.of(
            "quietServer",
            "POST",
            one + "/quiet",
            Role.ADMIN,
            control((source, id) -> source.inspector().quietServer(id))),
        Route.of(
            "stopServer",
            "POST",
            one + "/stop",
            Role.ADMIN,
            control((source, id) -> source.inspector().stopServer(id))));
  }

  private ApiResponse list(Exchange exchange) {
    List<ServerSnapshot> servers =
        ServerView.visible(exchange.source().poller().fresh().servers(), exchange.user().grant());
    return ApiResponse.ok(
        new JsonFields()
            .put(
                "items",
                servers.stream().map(server -> ServerView.fields(server, contents).map()).toList())
            .put("total", servers.size()));
  }

  private static Route.Endpoint<Exchange> control(BiPredicate<RedisInstance, String> order) {
    return exchange -> {
      String id = exchange.path("id");
      // The server may also serve queues that the user may not see.
      if (!exchange.user().grant().seesAll()) {
        throw Problems.forbidden("Controlling servers requires access to all queues.");
      }
      if (!order.test(exchange.source(), id)) {
        throw Problems.notFound("Live server " + id + " not found.");
      }
      return ApiResponse.NO_CONTENT;
    };
  }
}
