package io.asynq4j.dashboard.api;

import io.asynq4j.dashboard.Role;
import io.asynq4j.http.BodyLimits;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One operation of the API.
 *
 * @param operation its id in the OpenAPI document, and its name in the audit log
 * @param role the least that may call it; null for everybody, even without a login
 * @param segments of its path; one in braces stands for a name
 */
public record Route(
    String operation,
    String method,
    List<String> segments,
    @Nullable Role role,
    int maxBody,
    Handler handler) {

  /** What is done. */
  @FunctionalInterface
  public interface Handler {
    ApiResponse handle(Exchange exchange);
  }

  private static final int USUAL_BODY = 1 << 20;

  /** What carries payloads: in base64 they take a third more. */
  private static final int LARGE_BODY = BodyLimits.LARGEST_OF_DASHBOARD;

  static Route of(
      String operation, String method, String path, @Nullable Role role, Handler handler) {
    return new Route(
        operation, method, List.of(path.substring(1).split("/", -1)), role, USUAL_BODY, handler);
  }

  Route withLargeBody() {
    return new Route(operation, method, segments, role, LARGE_BODY, handler);
  }

  public boolean changes() {
    return !method.equals("GET");
  }

  /** The names in a path that is meant by this route; null when it is not. */
  @Nullable Map<String, String> match(List<String> path) {
    if (path.size() != segments.size()) {
      return null;
    }
    Map<String, String> names = new HashMap<>();
    for (int i = 0; i < path.size(); i++) {
      String segment = segments.get(i);
      if (segment.startsWith("{")) {
        if (path.get(i).isEmpty()) {
          return null;
        }
        names.put(segment.substring(1, segment.length() - 1), PathSegmentCodec.decode(path.get(i)));
      } else if (!segment.equals(path.get(i))) {
        return null;
      }
    }
    return names;
  }

  public String path() {
    return "/" + String.join("/", segments);
  }
}
