package io.asynq4j.dashboard.internal.api;

import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.internal.auth.User;
import io.asynq4j.dashboard.internal.live.RedisInstance;
import io.asynq4j.dashboard.internal.live.RedisInstances;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.HttpExchange;
import io.asynq4j.http.Json;
import io.asynq4j.http.RequestFields;
import io.asynq4j.http.Route;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** One authenticated request to a route, with its parameters. Not thread-safe. */
public final class Exchange extends HttpExchange {

  /** Header that changes require, because another site cannot make a browser send it. */
  public static final String REQUEST_HEADER = "X-Asynq-Request";

  static final int DEFAULT_LIMIT = 50;
  static final int MAX_LIMIT = 1_000;

  private final HttpServletResponse response;
  private final String root;
  private final Route<Role, Exchange> route;
  private final User user;
  private final String address;
  private final RedisInstances sources;
  private @Nullable Long changed;
  private @Nullable String target;
  private @Nullable String reason;
  private boolean isRead;

  public Exchange(
      HttpServletRequest request,
      HttpServletResponse response,
      String root,
      Route<Role, Exchange> route,
      Map<String, String> variables,
      User user,
      String address,
      RedisInstances sources) {
    super(request, variables, Problems.FACTORY);
    this.response = response;
    this.root = root;
    this.route = route;
    this.user = user;
    this.address = address;
    this.sources = sources;
  }

  public HttpServletResponse response() {
    return response;
  }

  public Route<Role, Exchange> route() {
    return route;
  }

  public User user() {
    return user;
  }

  /** Returns the address of the client. */
  public String address() {
    return address;
  }

  /** Returns the Redis that the request selects. */
  public RedisInstance source() {
    return sources.get(param("redis"));
  }

  /** Returns the path of an API resource, for links. */
  String location(String... segments) {
    StringBuilder location = new StringBuilder(root).append("/api/v1");
    for (String segment : segments) {
      location.append('/').append(PathSegmentCodec.encode(segment));
    }
    String redis = param("redis");
    return redis == null
        ? location.toString()
        : location + "?redis=" + PathSegmentCodec.encode(redis);
  }

  /** Returns the queue of the path. A queue that the user may not see counts as not found. */
  String queue() {
    return visible(path("queue"));
  }

  String visible(String queue) {
    if (!user.sees(queue)) {
      throw Problems.queueNotFound(queue);
    }
    return queue;
  }

  int limit() {
    return integer("limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
  }

  /** Returns the body; an empty object if it is missing. */
  RequestFields body() {
    byte[] bytes = read();
    return bytes.length == 0 ? fields(Json.object()) : body(bytes);
  }

  /** Returns the body of a replacement. It is required, so that a missing body clears nothing. */
  RequestFields requiredBody() {
    byte[] bytes = read();
    if (bytes.length == 0) {
      throw Problems.badRequest("The request needs a body with a JSON object.");
    }
    return body(bytes);
  }

  private RequestFields body(byte[] bytes) {
    if (!contentType().equals(ApiResponse.JSON)) {
      throw Problems.FACTORY.unsupportedType(
          "Send the body with Content-Type: application/json, not %s."
              .formatted(contentType().isEmpty() ? "none" : contentType()));
    }
    return fields(Json.parse(bytes, "The body", Problems.FACTORY));
  }

  private static RequestFields fields(JsonNode body) {
    return new RequestFields(body, "The body", Problems.FACTORY);
  }

  private byte[] read() {
    try {
      return body(route.maxBody());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Declares that this request changes nothing, although its route may. */
  void readOnly() {
    this.isRead = true;
  }

  /** Whether the request may change data, so that it belongs in the audit log. */
  public boolean changes() {
    return route.changes() && !isRead;
  }

  /** Sets the number of changed tasks or other objects, for the audit log. */
  void changed(long count) {
    this.changed = count;
  }

  void target(String what) {
    this.target = what;
  }

  void reason(@Nullable String why) {
    this.reason = why;
  }

  public @Nullable Long changed() {
    return changed;
  }

  public @Nullable String reason() {
    return reason;
  }

  /** Returns the target of a change, for the audit log. */
  public String target() {
    if (target != null) {
      return target;
    }
    return Stream.of("queue", "id")
        .flatMap(name -> optionalPath(name).stream())
        .collect(Collectors.joining("/"));
  }
}
