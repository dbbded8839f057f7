package io.asynq4j.service.api;

import io.asynq4j.http.Route;
import io.asynq4j.service.auth.ApiKey;
import io.asynq4j.service.auth.Scope;
import jakarta.servlet.http.HttpServletRequest;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Data of a request for logs, metrics and audit. Used by one thread at a time. */
public final class RequestRecord {

  private static final Pattern VARIABLE = Pattern.compile("\\{[^}]*}");

  private final String method;
  private final String path;
  private final String from;
  private final long began = System.nanoTime();
  private @Nullable Route<Scope, Exchange> route;
  private @Nullable ApiKey caller;

  RequestRecord(HttpServletRequest request) {
    // Copied now: the container reuses requests after the response.
    this.method = request.getMethod();
    this.path = request.getRequestURI();
    this.from = request.getRemoteAddr();
  }

  void setRoute(Route<Scope, Exchange> newRoute) {
    this.route = newRoute;
  }

  void setCaller(ApiKey key) {
    this.caller = key;
  }

  String method() {
    return method;
  }

  String path() {
    return path;
  }

  String from() {
    return from;
  }

  /** The path of the route, with a star for each variable: a small set of values. */
  String routePath() {
    return route == null ? "none" : VARIABLE.matcher(route.path()).replaceAll("*");
  }

  /** The method, if there is a route for it: others are arbitrary text. */
  String knownMethod() {
    return route == null ? "other" : method;
  }

  boolean isOperation() {
    return route != null && route.permission() == Scope.OPERATE && route.changes();
  }

  @Nullable String key() {
    return caller == null ? null : caller.name();
  }

  long nanos() {
    return System.nanoTime() - began;
  }
}
