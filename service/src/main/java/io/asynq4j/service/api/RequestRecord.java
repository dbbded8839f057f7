package io.asynq4j.service.api;

import io.asynq4j.service.Scope;
import io.asynq4j.service.auth.ApiKey;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** A request from its begin to its answer, for those who keep records. Used by one at a time. */
public final class RequestRecord {

  private final String method;
  private final String path;
  private final String from;
  private final long began = System.nanoTime();
  private @Nullable Route route;
  private @Nullable ApiKey caller;

  RequestRecord(HttpServletRequest request) {
    // Taken out now: a container uses requests again once they are answered.
    this.method = request.getMethod();
    this.path = request.getRequestURI();
    this.from = request.getRemoteAddr();
  }

  void found(Route found) {
    this.route = found;
  }

  public void isOf(ApiKey key) {
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

  /** The path of the route, which is one of few. */
  String routePath() {
    return route == null ? "none" : route.path();
  }

  /** The method, where there is a route for it: others are whatever somebody sends. */
  String knownMethod() {
    return route == null ? "other" : method;
  }

  boolean isOperation() {
    return route != null && route.scope() == Scope.OPERATE && !method.equals("GET");
  }

  @Nullable String key() {
    return caller == null ? null : caller.name();
  }

  long nanos() {
    return System.nanoTime() - began;
  }
}
