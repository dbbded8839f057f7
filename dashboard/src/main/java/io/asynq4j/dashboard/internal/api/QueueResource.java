package io.asynq4j.dashboard.internal.api;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.RateLimit;
import io.asynq4j.TaskState;
import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.internal.live.QueueRow;
import io.asynq4j.dashboard.internal.live.RedisInstance;
import io.asynq4j.dashboard.internal.live.RedisSnapshot;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.dashboard.internal.view.PageCursor;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.JsonFields;
import io.asynq4j.http.RequestFields;
import io.asynq4j.http.Route;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueLimits;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.internal.text.Glob;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Queues: lists, details, pause, limits, removal. */
public final class QueueResource {

  private static final int MAX_DAYS = 1_000;

  public List<Route<Role, Exchange>> routes() {
    String one = "/api/v1/queues/{queue}";
    return List.of(
        Route.of("listQueues", "GET", "/api/v1/queues", Role.VIEWER, this::list),
        Route.of("getQueue", "GET", one, Role.VIEWER, this::get),
        Route.of("removeQueue", "DELETE", one, Role.ADMIN, this::remove),
        Route.of("pauseQueue", "POST", one + "/pause", Role.OPERATOR, this::pause),
        Route.of("resumeQueue", "POST", one + "/resume", Role.OPERATOR, this::resume),
        Route.of("getLimits", "GET", one + "/limits", Role.VIEWER, this::limits),
        Route.of("setLimits", "PUT", one + "/limits", Role.ADMIN, this::setLimits),
        Route.of("queueDays", "GET", one + "/days", Role.VIEWER, this::days),
        Route.of("queueGroups", "GET", one + "/groups", Role.VIEWER, this::groups));
  }

  private ApiResponse list(Exchange exchange) {
    RedisSnapshot snapshot = exchange.source().poller().fresh();
    Glob match = Glob.within(exchange.param("match", ""));
    Comparator<QueueRow> order = order(exchange.param("sort", "name"));
    String direction = exchange.param("order", "asc");
    if (!direction.equals("asc") && !direction.equals("desc")) {
      throw Problems.badRequest("\"order\" must be asc or desc, got \"" + direction + "\".");
    }
    List<QueueRow> rows =
        snapshot.visible(exchange.user().grant()).stream()
            .filter(row -> match.matches(row.name()))
            .sorted(direction.equals("desc") ? order.reversed() : order)
            .toList();
    return ApiResponse.ok(
        PageCursor.page(rows, exchange.limit(), exchange.param("cursor"), QueueRow::fields)
            .put("at", snapshot.at()));
  }

  private static Comparator<QueueRow> order(String by) {
    Comparator<QueueRow> byName = Comparator.comparing(QueueRow::name);
    return switch (by) {
      case "name" -> byName;
      case "size" -> Comparator.comparingLong((QueueRow row) -> row.size()).thenComparing(byName);
      case "latency" -> Comparator.comparing(QueueRow::latency).thenComparing(byName);
      case "processed" -> Comparator.comparingLong(QueueRow::processed).thenComparing(byName);
      case "failed" -> Comparator.comparingLong(QueueRow::failed).thenComparing(byName);
      default -> {
        TaskState state = TaskState.ofWord(by);
        yield Comparator.comparingLong((QueueRow row) -> row.size(state)).thenComparing(byName);
      }
    };
  }

  private ApiResponse get(Exchange exchange) {
    String queue = exchange.queue();
    RedisInstance source = exchange.source();
    Inspector inspector = source.inspector();
    QueueSnapshot seen = inspector.queue(queue).snapshot();
    QueueRow known = source.poller().last().queues().get(queue);
    OptionalLong memory = inspector.queue(queue).memoryUsage();
    return ApiResponse.ok(
        new QueueRow(queue, seen, known == null ? 0 : known.servers(), null)
            .fields()
            .put("limits", limits(inspector.queue(queue).limits()).map())
            .put("memoryBytes", memory.isPresent() ? memory.getAsLong() : null)
            .put("slot", inspector.queue(queue).slot())
            .put("nodes", inspector.queue(queue).nodes()));
  }

  private ApiResponse remove(Exchange exchange) {
    String queue = exchange.queue();
    long size = exchange.source().inspector().queue(queue).snapshot().size();
    exchange.source().inspector().queue(queue).remove(exchange.flag("force"));
    exchange.changed(size);
    return ApiResponse.NO_CONTENT;
  }

  private ApiResponse pause(Exchange exchange) {
    String queue = exchange.queue();
    requireQueue(exchange, queue);
    if (!exchange.source().inspector().queue(queue).pause()) {
      throw Problems.conflict("wrong-state", "Queue \"" + queue + "\" is already paused.");
    }
    return ApiResponse.NO_CONTENT;
  }

  /** Rejects unknown queues, because their name is probably misspelled. */
  private static void requireQueue(Exchange exchange, String queue) {
    if (!exchange.source().inspector().queues().contains(queue)) {
      throw Problems.of(new QueueNotFoundException(io.asynq4j.QueueName.of(queue)));
    }
  }

  private ApiResponse resume(Exchange exchange) {
    String queue = exchange.queue();
    if (!exchange.source().inspector().queue(queue).resume()) {
      requireQueue(exchange, queue);
      throw Problems.conflict("wrong-state", "Queue \"" + queue + "\" is not paused.");
    }
    return ApiResponse.NO_CONTENT;
  }

  private ApiResponse limits(Exchange exchange) {
    return ApiResponse.ok(limits(exchange.source().inspector().queue(exchange.queue()).limits()));
  }

  private static JsonFields limits(QueueLimits limits) {
    return new JsonFields()
        .put("maxActive", limits.maxActive().isPresent() ? limits.maxActive().getAsInt() : null)
        .put("ordered", limits.ordered().orElse(null))
        .put("rate", limits.rate().map(RateLimit::text).orElse(null))
        .put(
            "burst",
            limits
                .rate()
                .filter(rate -> !rate.isUnlimited())
                .map(rate -> (Object) rate.burst())
                .orElse(null));
  }

  private ApiResponse setLimits(Exchange exchange) {
    String queue = exchange.queue();
    requireQueue(exchange, queue);
    RequestFields body = exchange.requiredBody().knowing("maxActive", "ordered", "rate", "burst");
    Integer maxActive = body.integer("maxActive").orElse(null);
    QueueLimits limits =
        new QueueLimits(
            maxActive == null ? OptionalInt.empty() : OptionalInt.of(maxActive),
            body.flag("ordered"),
            rate(body));
    exchange.source().inspector().queue(queue).setLimits(limits);
    return ApiResponse.ok(limits(limits));
  }

  private static Optional<RateLimit> rate(RequestFields body) {
    String text = body.text("rate").orElse(null);
    Integer burst = body.integer("burst").orElse(null);
    if (text == null) {
      if (burst != null) {
        throw Problems.unprocessable("\"burst\" requires a \"rate\".");
      }
      return Optional.empty();
    }
    try {
      RateLimit rate = RateLimit.parse(text);
      return Optional.of(burst == null || rate.isUnlimited() ? rate : rate.withBurst(burst));
    } catch (IllegalArgumentException e) {
      throw Problems.unprocessable("Invalid \"rate\": " + e.getMessage());
    }
  }

  private ApiResponse days(Exchange exchange) {
    int days = exchange.integer("days", 10, 1, MAX_DAYS);
    List<Object> items =
        exchange.source().inspector().queue(exchange.queue()).history(days, zone(exchange)).stream()
            .map(
                day ->
                    (Object)
                        new JsonFields()
                            .put("date", day.date())
                            .put("from", day.from().toOffsetDateTime())
                            .put("until", day.until().toOffsetDateTime())
                            .put("processed", day.processed())
                            .put("failed", day.failed())
                            .map())
            .toList();
    return ApiResponse.ok(new JsonFields().put("items", items).put("total", items.size()));
  }

  private static ZoneId zone(Exchange exchange) {
    String zone = exchange.param("zone", "UTC");
    try {
      return ZoneId.of(zone);
    } catch (DateTimeException e) {
      throw Problems.unprocessable(
          "Unknown time zone \"" + zone + "\". Use a name such as Europe/Berlin, or UTC.");
    }
  }

  private ApiResponse groups(Exchange exchange) {
    Map<String, Long> groups =
        new TreeMap<>(exchange.source().inspector().queue(exchange.queue()).groups());
    Glob match = Glob.within(exchange.param("match", ""));
    return ApiResponse.ok(
        PageCursor.page(
            groups.entrySet().stream().filter(group -> match.matches(group.getKey())).toList(),
            exchange.limit(),
            exchange.param("cursor"),
            group ->
                new JsonFields()
                    .put("group", group.getKey())
                    .put("size", group.getValue() < 0 ? null : group.getValue())
                    .put("broken", group.getValue() < 0)));
  }
}
