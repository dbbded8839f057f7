package io.asynq4j.dashboard.api;

import io.asynq4j.dashboard.auth.User;
import io.asynq4j.dashboard.live.RedisInstance;
import io.asynq4j.dashboard.live.RedisInstances;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** One request of a known user to a known route, and what is asked for in it. Not thread-safe. */
public final class Exchange {

  /** Requests that change something must have it: another site cannot make a browser send it. */
  public static final String REQUEST_HEADER = "X-Asynq-Request";

  static final int DEFAULT_LIMIT = 50;
  static final int MAX_LIMIT = 1_000;

  private final HttpServletRequest request;
  private final HttpServletResponse response;
  private final String root;
  private final Route route;
  private final Map<String, String> path;
  private final User user;
  private final String address;
  private final RedisInstances sources;
  private @Nullable Long changed;
  private @Nullable String target;
  private @Nullable String reason;

  public Exchange(
      HttpServletRequest request,
      HttpServletResponse response,
      String root,
      Route route,
      Map<String, String> path,
      User user,
      String address,
      RedisInstances sources) {
    this.request = request;
    this.response = response;
    this.root = root;
    this.route = route;
    this.path = path;
    this.user = user;
    this.address = address;
    this.sources = sources;
  }

  public HttpServletRequest request() {
    return request;
  }

  public HttpServletResponse response() {
    return response;
  }

  public Route route() {
    return route;
  }

  public User user() {
    return user;
  }

  /** The address of the client. */
  public String address() {
    return address;
  }

  /** The Redis that is meant. */
  public RedisInstance source() {
    return sources.get(param("redis"));
  }

  /** Where something of the API lies, for links. */
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

  /** A part of the path. */
  String path(String name) {
    return Objects.requireNonNull(path.get(name), name);
  }

  /** The queue of the path; what the user must not see does not exist. */
  String queue() {
    return visible(path("queue"));
  }

  String visible(String queue) {
    if (!user.sees(queue)) {
      throw Problem.queueNotFound(queue);
    }
    return queue;
  }

  @Nullable String param(String name) {
    String value = request.getParameter(name);
    return value == null || value.isEmpty() ? null : value;
  }

  public String param(String name, String otherwise) {
    String value = param(name);
    return value == null ? otherwise : value;
  }

  int integer(String name, int otherwise, int least, int most) {
    String value = param(name);
    if (value == null) {
      return otherwise;
    }
    try {
      int number = Integer.parseInt(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // It is told below.
    }
    throw Problem.badRequest(
        "\"%s\" must be a whole number from %d to %d: \"%s\"".formatted(name, least, most, value));
  }

  int limit() {
    return integer("limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
  }

  boolean flag(String name) {
    return switch (param(name, "false").toLowerCase(Locale.ROOT)) {
      case "true", "1" -> true;
      case "false", "0" -> false;
      default -> throw Problem.badRequest("\"" + name + "\" must be true or false.");
    };
  }

  /** The body; an empty object when there is none. */
  RequestFields body() {
    byte[] bytes = read(route.maxBody());
    return bytes.length == 0 ? new RequestFields(Json.object()) : body(bytes);
  }

  /** The body of what replaces something: when none has come, nothing must be taken away. */
  RequestFields requiredBody() {
    byte[] bytes = read(route.maxBody());
    if (bytes.length == 0) {
      throw Problem.badRequest("A body is needed here, a JSON object.");
    }
    return body(bytes);
  }

  private RequestFields body(byte[] bytes) {
    String type = request.getContentType();
    if (type == null || !type.toLowerCase(Locale.ROOT).startsWith("application/json")) {
      throw Problem.notJson(type == null ? "none" : type);
    }
    JsonNode node =
        Json.read(bytes)
            .orElseThrow(
                () -> Problem.badRequest("The body is not JSON, or names something twice."));
    return new RequestFields(node);
  }

  private byte[] read(int most) {
    try {
      if (request.getContentLengthLong() > most) {
        throw Problem.tooLarge(most);
      }
      byte[] bytes = request.getInputStream().readNBytes(most + 1);
      if (bytes.length > most) {
        throw Problem.tooLarge(most);
      }
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How many tasks or other things a request has changed, for the audit log. */
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

  /** What a change is about. */
  public String target() {
    if (target != null) {
      return target;
    }
    String queue = path.get("queue");
    String id = path.get("id");
    return queue == null
        ? Objects.requireNonNullElse(id, "")
        : id == null ? queue : queue + "/" + id;
  }
}
