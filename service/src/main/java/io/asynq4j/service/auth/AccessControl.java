package io.asynq4j.service.auth;

import io.asynq4j.http.BodyCaller;
import io.asynq4j.http.Problem;
import io.asynq4j.internal.text.Glob;
import io.asynq4j.service.response.Problems;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Authenticates and authorizes requests by API keys. Immutable. */
public final class AccessControl {

  /** The caller if no keys are configured, which only a loopback address allows. */
  private static final ApiKey ANYBODY =
      new ApiKey("anybody", "", EnumSet.allOf(Scope.class), List.of(Glob.of("*")));

  private static final Pattern LOCAL =
      Pattern.compile("localhost|127\\.[0-9.]+|\\[?[0-9a-fA-F:]*:1\\]?");

  private final Map<String, ApiKey> byHash = new HashMap<>();

  public AccessControl(List<ApiKey> keys) {
    keys.forEach(key -> byHash.put(key.hash(), key));
  }

  /** Whether no keys are configured. */
  public boolean isOpen() {
    return byHash.isEmpty();
  }

  /**
   * Returns the sender of a body by its Authorization header; empty for requests that are refused
   * without reading the body.
   */
  public Optional<BodyCaller> bodyCaller(@Nullable String authorization) {
    return isOpen()
        ? Optional.of(BodyCaller.alone())
        : presented(authorization).flatMap(this::find).map(key -> BodyCaller.verified(key.hash()));
  }

  /** Returns the key in an Authorization header: a bearer token, or the password of any user. */
  static Optional<String> presented(@Nullable String authorization) {
    Optional<String> bearer = bearer(authorization);
    return bearer.isPresent() ? bearer : password(authorization);
  }

  private static Optional<String> bearer(@Nullable String header) {
    return header != null && header.regionMatches(true, 0, "Bearer ", 0, 7)
        ? Optional.of(header.substring(7).strip())
        : Optional.empty();
  }

  private static Optional<String> password(@Nullable String header) {
    if (header == null || !header.regionMatches(true, 0, "Basic ", 0, 6)) {
      return Optional.empty();
    }
    try {
      String pair =
          new String(
              Base64.getDecoder().decode(header.substring(6).strip()), StandardCharsets.UTF_8);
      int colon = pair.indexOf(':');
      return colon < 0 ? Optional.empty() : Optional.of(pair.substring(colon + 1));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  Optional<ApiKey> find(String presented) {
    // Found by its hash, so the time of the lookup reveals nothing about the keys.
    return Optional.ofNullable(byHash.get(ApiKey.hashOf(presented)));
  }

  /**
   * Returns the caller of a request. Throws a problem if it has no key with this scope.
   *
   * @param scope null if any caller may send the request
   * @param identified called with the key, even if it does not have the scope
   */
  public ApiKey require(
      HttpServletRequest request, @Nullable Scope scope, Consumer<ApiKey> identified) {
    if (scope == null) {
      return ANYBODY;
    }
    if (byHash.isEmpty()) {
      requireNoWebPage(request);
      return ANYBODY;
    }
    ApiKey key =
        bearer(request.getHeader("Authorization"))
            .flatMap(this::find)
            .orElseThrow(
                () ->
                    new Problem(
                        401,
                        "unauthorized",
                        "a valid API key is required: \"Authorization: Bearer asq_…\""));
    identified.accept(key);
    if (!key.scopes().contains(scope)) {
      throw Problems.forbidden(
          "the key \"%s\" does not have the scope %s"
              .formatted(key.name(), scope.name().toLowerCase(Locale.ROOT)));
    }
    return key;
  }

  /**
   * Refuses requests of web pages to a service without keys: a browser on this machine could send
   * them for any site.
   */
  private static void requireNoWebPage(HttpServletRequest request) {
    if (request.getHeader("Origin") != null || !LOCAL.matcher(request.getServerName()).matches()) {
      throw Problems.forbidden(
          "a service without API keys refuses requests of web pages and requests to other host"
              + " names");
    }
  }

  /** Requires access to a queue. A queue without a definition is matched like a task name. */
  public static void requireQueue(ApiKey caller, String queue) {
    if (!caller.allows(queue)) {
      throw Problems.forbidden(
          "the key \"%s\" does not allow queues named \"%s\"".formatted(caller.name(), queue));
    }
  }

  /** Requires access to all tasks, for requests that show or change all of them. */
  public static void requireUnrestricted(ApiKey caller) {
    if (!caller.isUnrestricted()) {
      throw Problems.forbidden(
          "the key \"%s\" is restricted to some task names; this request needs access to all"
              .formatted(caller.name()));
    }
  }

  public static void requireName(ApiKey caller, String taskName) {
    if (!caller.allows(taskName)) {
      throw Problems.forbidden(
          "the key \"%s\" does not allow tasks named \"%s\"".formatted(caller.name(), taskName));
    }
  }
}
