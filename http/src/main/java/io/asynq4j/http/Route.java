package io.asynq4j.http;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One operation of an API. Immutable.
 *
 * @param operation its id in the OpenAPI document and in the audit log
 * @param segments of its path; one in braces is a variable
 * @param permission required permission; null = public, without a login
 * @param maxBody maximum bytes of a body, unless the endpoint has its own limit
 * @param <P> the permissions of the API
 * @param <E> its exchanges
 */
public record Route<P, E extends HttpExchange>(
    String operation,
    String method,
    List<String> segments,
    @Nullable P permission,
    int maxBody,
    AsyncEndpoint<E> endpoint) {

  private static final int DEFAULT_MAX_BODY = 1 << 20;

  /** Answers a request. */
  @FunctionalInterface
  public interface Endpoint<E extends HttpExchange> {
    ApiResponse handle(E exchange) throws Exception;
  }

  /** Answers a request, immediately or later. */
  @FunctionalInterface
  public interface AsyncEndpoint<E extends HttpExchange> {
    CompletionStage<ApiResponse> handle(E exchange) throws Exception;
  }

  /**
   * Creates a route whose endpoint answers immediately.
   *
   * @param path such as {@code /tasks/{id}}
   */
  public static <P, E extends HttpExchange> Route<P, E> of(
      String operation, String method, String path, @Nullable P permission, Endpoint<E> endpoint) {
    return async(
        operation,
        method,
        path,
        permission,
        exchange -> CompletableFuture.completedFuture(endpoint.handle(exchange)));
  }

  /** Creates a route whose endpoint may answer later. */
  public static <P, E extends HttpExchange> Route<P, E> async(
      String operation,
      String method,
      String path,
      @Nullable P permission,
      AsyncEndpoint<E> endpoint) {
    return new Route<>(operation, method, segments(path), permission, DEFAULT_MAX_BODY, endpoint);
  }

  static List<String> segments(String path) {
    return List.of(path.substring(1).split("/", -1));
  }

  public Route<P, E> withMaxBody(int bytes) {
    return new Route<>(operation, method, segments, permission, bytes, endpoint);
  }

  /** Whether the operation may change data. */
  public boolean changes() {
    return !method.equals("GET");
  }

  /** Returns the variables in a path of this route; empty if the path does not match. */
  Optional<Map<String, String>> match(List<String> path, UnaryOperator<String> decoder) {
    if (path.size() != segments.size()) {
      return Optional.empty();
    }
    Map<String, String> variables = new HashMap<>();
    for (int i = 0; i < path.size(); i++) {
      String segment = segments.get(i);
      if (isVariable(segment)) {
        if (path.get(i).isEmpty()) {
          return Optional.empty();
        }
        variables.put(segment.substring(1, segment.length() - 1), decoder.apply(path.get(i)));
      } else if (!segment.equals(path.get(i))) {
        return Optional.empty();
      }
    }
    return Optional.of(variables);
  }

  private static boolean isVariable(String segment) {
    return segment.startsWith("{");
  }

  public String path() {
    return "/" + String.join("/", segments);
  }
}
