package io.asynq4j.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Finds the route of a request. Thread-safe.
 *
 * @param <P> the permissions of the API
 * @param <E> its exchanges
 */
public final class Router<P, E extends HttpExchange> {

  private final List<Route<P, E>> routes;
  private final UnaryOperator<String> decoder;
  private final ProblemFactory problems;

  /**
   * @param decoder converts a segment of a path to the value of a variable
   */
  public Router(List<Route<P, E>> routes, UnaryOperator<String> decoder, ProblemFactory problems) {
    this.routes = List.copyOf(routes);
    this.decoder = decoder;
    this.problems = problems;
  }

  /** A route with the variables of a path. */
  public record Match<P, E extends HttpExchange>(
      Route<P, E> route, Map<String, String> variables) {}

  public List<Route<P, E>> routes() {
    return routes;
  }

  /** The same for a path with a leading slash. */
  public Optional<Match<P, E>> find(String method, String path) {
    return find(method, Route.segments(path));
  }

  /**
   * Returns the route of a path; empty if there is none. Throws {@link Problem} if the path exists
   * with other methods only. HEAD is handled as GET.
   */
  public Optional<Match<P, E>> find(String method, List<String> path) {
    List<Match<P, E>> matches = new ArrayList<>();
    for (Route<P, E> route : routes) {
      route.match(path, decoder).ifPresent(variables -> matches.add(new Match<>(route, variables)));
    }
    if (matches.isEmpty()) {
      return Optional.empty();
    }
    // A literal comes before a variable: tasks/batch before tasks/{id}.
    int fewest = matches.stream().mapToInt(match -> match.variables().size()).min().orElse(0);
    matches.removeIf(match -> match.variables().size() > fewest);
    String wanted = method.equals("HEAD") ? "GET" : method;
    Optional<Match<P, E>> match =
        matches.stream().filter(each -> each.route().method().equals(wanted)).findFirst();
    if (match.isEmpty()) {
      throw problems.methodNotAllowed(
          method, matches.stream().map(each -> each.route().method()).distinct().toList());
    }
    return match;
  }
}
