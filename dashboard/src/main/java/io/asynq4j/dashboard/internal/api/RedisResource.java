package io.asynq4j.dashboard.internal.api;

import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.internal.live.QueueRow;
import io.asynq4j.dashboard.internal.live.RedisInstance;
import io.asynq4j.dashboard.internal.live.RedisInstances;
import io.asynq4j.dashboard.internal.live.RedisSnapshot;
import io.asynq4j.dashboard.internal.view.PageCursor;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.JsonFields;
import io.asynq4j.http.Route;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.internal.text.Glob;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** The Redis servers: state, INFO, cluster slots. */
public final class RedisResource {

  private static final Set<String> KNOWN_TO_ALL =
      Set.of("redis_version", "redis_mode", "cluster_enabled", "uptime_in_seconds");

  private final RedisInstances sources;

  public RedisResource(RedisInstances sources) {
    this.sources = sources;
  }

  public List<Route<Role, Exchange>> routes() {
    return List.of(
        Route.of("listRedis", "GET", "/api/v1/redis", Role.VIEWER, this::list),
        Route.of("redisInfo", "GET", "/api/v1/redis/info", Role.VIEWER, this::info),
        Route.of("redisSlots", "GET", "/api/v1/redis/slots", Role.VIEWER, this::slots));
  }

  private ApiResponse list(Exchange exchange) {
    List<Object> items =
        sources.all().stream()
            .map(
                source -> {
                  RedisSnapshot last = source.poller().fresh();
                  return (Object)
                      new JsonFields()
                          .put("name", source.name())
                          .put("reachable", last.problem() == null)
                          .put("problem", last.problem())
                          .put("at", last.at())
                          .map();
                })
            .toList();
    return ApiResponse.ok(new JsonFields().put("items", items).put("total", items.size()));
  }

  private ApiResponse info(Exchange exchange) {
    RedisInstance source = exchange.source();
    double ping = source.redis().ping().toNanos() / 1e6;
    var info = new TreeMap<>(source.inspector().redisInfo());
    if (!exchange.user().grant().seesAll()) {
      // The other fields reveal tasks of other queues, and the machine.
      info.keySet().retainAll(KNOWN_TO_ALL);
    }
    return ApiResponse.ok(
        new JsonFields()
            .put("name", source.name())
            .put("pingMs", ping)
            .put("cluster", "1".equals(info.get("cluster_enabled")))
            .put("info", info));
  }

  private ApiResponse slots(Exchange exchange) {
    RedisInstance source = exchange.source();
    Inspector inspector = source.inspector();
    Glob match = Glob.within(exchange.param("match", ""));
    List<String> queues =
        source.poller().fresh().visible(exchange.user().grant()).stream()
            .map(QueueRow::name)
            .filter(match::matches)
            .toList();
    return ApiResponse.ok(
        PageCursor.page(
            queues,
            exchange.limit(),
            exchange.param("cursor"),
            queue ->
                new JsonFields()
                    .put("queue", queue)
                    .put("slot", inspector.queue(queue).slot())
                    .put("nodes", inspector.queue(queue).nodes())));
  }
}
