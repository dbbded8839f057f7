package io.asynq4j.dashboard.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All operations, and which one a request means. */
public final class Router {

  private final List<Route> routes;

  public Router(List<Route> routes) {
    this.routes = List.copyOf(routes);
  }

  /** A route, and the names in the path. */
  public record Match(Route route, Map<String, String> names) {}

  public List<Route> routes() {
    return routes;
  }

  /** Empty when no operation has this path; fails when one has, but with another method. */
  public Optional<Match> find(String method, String path) {
    List<String> segments = List.of(path.substring(1).split("/", -1));
    String wanted = method.equals("HEAD") ? "GET" : method;
    List<Match> matches = new ArrayList<>();
    for (Route route : routes) {
      @Nullable Map<String, String> names = route.match(segments);
      if (names != null) {
        matches.add(new Match(route, names));
      }
    }
    if (matches.isEmpty()) {
      return Optional.empty();
    }
    // What is written out comes before what a name stands for: tasks/batch before tasks/{id}.
    int fewest = matches.stream().mapToInt(match -> match.names().size()).min().orElse(0);
    List<Match> best = matches.stream().filter(match -> match.names().size() == fewest).toList();
    return Optional.of(
        best.stream()
            .filter(match -> match.route().method().equals(wanted))
            .findFirst()
            .orElseThrow(
                () ->
                    Problem.methodNotAllowed(
                        method,
                        best.stream()
                            .map(match -> match.route().method())
                            .distinct()
                            .collect(Collectors.joining(", ")))));
  }
}
