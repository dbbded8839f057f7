package io.asynq4j.dashboard.internal.api;

import io.asynq4j.TaskState;
import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.internal.live.QueueRow;
import io.asynq4j.dashboard.internal.live.RedisInstance;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.dashboard.internal.search.FailureGrouper;
import io.asynq4j.dashboard.internal.search.Query;
import io.asynq4j.dashboard.internal.search.QueryParser;
import io.asynq4j.dashboard.internal.search.SearchLimiter;
import io.asynq4j.dashboard.internal.search.TaskSearch;
import io.asynq4j.dashboard.internal.view.PayloadRenderer;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.JsonFields;
import io.asynq4j.http.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Search over all queues, and groups of failures. */
public final class SearchResource {

  private static final Duration BUDGET = Duration.ofSeconds(1);
  private static final int MAX_SUGGESTED = 12;

  private static final Map<String, String> HELP =
      Map.ofEntries(
          Map.entry("queue:", "queue; * matches any characters"),
          Map.entry("state:", "one or more states, separated by commas"),
          Map.entry("type:", "task type; * matches any characters"),
          Map.entry("id:", "beginning of the task ID"),
          Map.entry("group:", "group"),
          Map.entry("error:", "text in the last error"),
          Map.entry("payload:", "text in the payload"),
          Map.entry("payload.", "value in a JSON payload: payload.user.id=42"),
          Map.entry("header.", "header: header.trace=abc"),
          Map.entry("has:", "has:error, has:result, has:payload.user, has:header.trace"),
          Map.entry("retried>=", "at least this many retries"),
          Map.entry("retried<=", "at most this many retries"),
          Map.entry("age>", "longer in its state than: age>1h"),
          Map.entry("age<", "shorter in its state than: age<10m"),
          Map.entry("fingerprint:", "fingerprint of a group of failures"));

  private final PayloadRenderer contents;
  private final TaskView tasks;
  private final FailureGrouper failures = new FailureGrouper();
  private final SearchLimiter limit = new SearchLimiter();

  public SearchResource(PayloadRenderer contents) {
    this.contents = contents;
    this.tasks = new TaskView(contents);
  }

  public List<Route<Role, Exchange>> routes() {
    return List.of(
        Route.of("search", "GET", "/api/v1/search", Role.VIEWER, this::search),
        Route.of("suggest", "GET", "/api/v1/search/suggestions", Role.VIEWER, this::suggest),
        Route.of("failures", "GET", "/api/v1/failures", Role.VIEWER, this::failures));
  }

  private ApiResponse search(Exchange exchange) {
    String text = exchange.param("q");
    if (text == null) {
      throw Problems.badRequest("\"q\" is required: it is the query.");
    }
    Query query = QueryParser.parse(text);
    RedisInstance source = exchange.source();
    String cursor = exchange.param("cursor");
    TaskSearch.Found found =
        limit.run(
            exchange.user(),
            () ->
                new TaskSearch(source, contents)
                    .find(query, exchange.user().grant(), exchange.limit(), cursor, BUDGET));
    return ApiResponse.ok(
        new JsonFields()
            .put(
                "items", found.tasks().stream().map(task -> tasks.row(task, source).map()).toList())
            .put("looked", found.looked())
            .put("total", cursor == null ? found.total() : null)
            .put("cursor", found.cursor())
            .put("problems", found.problems()));
  }

  private ApiResponse failures(Exchange exchange) {
    Query query = QueryParser.parse(exchange.param("q", ""));
    return limit.run(
        exchange.user(),
        () ->
            ApiResponse.ok(
                failures.groups(
                    exchange.source(),
                    contents,
                    query,
                    exchange.user().grant(),
                    exchange.limit(),
                    exchange.param("cursor"))));
  }

  private ApiResponse suggest(Exchange exchange) {
    String text = exchange.param("q", "");
    int space = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\t')) + 1;
    String before = text.substring(0, space);
    String term = text.substring(space);
    String minus = term.startsWith("-") ? "-" : "";
    String bare = term.substring(minus.length());
    List<Object> items = new ArrayList<>();
    int colon = bare.indexOf(':');
    if (colon < 0) {
      for (String key : QueryParser.KEYS) {
        if (key.startsWith(bare.toLowerCase(Locale.ROOT))) {
          items.add(suggestion(before + minus + key, HELP.getOrDefault(key, "")));
        }
      }
    } else {
      String key = bare.substring(0, colon + 1);
      for (String value : values(key, bare.substring(colon + 1), exchange)) {
        items.add(suggestion(before + minus + key + quoted(value), ""));
      }
    }
    List<Object> shown = items.subList(0, Math.min(items.size(), MAX_SUGGESTED));
    return ApiResponse.ok(new JsonFields().put("items", shown).put("total", shown.size()));
  }

  private static Object suggestion(String query, String help) {
    return new JsonFields().put("query", query).put("help", help).map();
  }

  private static String quoted(String value) {
    boolean isPlain = value.chars().noneMatch(c -> Character.isWhitespace(c) || c == '"');
    return isPlain ? value : "\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  private static List<String> values(String key, String start, Exchange exchange) {
    return switch (key) {
      case "state:" ->
          Arrays.stream(TaskState.values())
              .map(TaskState::word)
              .filter(word -> word.startsWith(start))
              .toList();
      case "queue:" ->
          exchange.source().poller().fresh().visible(exchange.user().grant()).stream()
              .map(QueueRow::name)
              .filter(name -> name.startsWith(start))
              .limit(MAX_SUGGESTED)
              .toList();
      case "type:" ->
          exchange.source().poller().last().servers().stream()
              .flatMap(server -> server.workers().stream())
              .filter(worker -> exchange.user().sees(worker.queue()))
              .map(worker -> worker.taskType())
              .filter(type -> type.startsWith(start))
              .distinct()
              .sorted()
              .limit(MAX_SUGGESTED)
              .toList();
      case "has:" -> List.of("error", "result", "payload", "group");
      default -> List.of();
    };
  }
}
