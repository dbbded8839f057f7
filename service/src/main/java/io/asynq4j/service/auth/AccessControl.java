package io.asynq4j.service.auth;

import io.asynq4j.http.BodyCaller;
import io.asynq4j.http.Problem;
import io.asynq4j.internal.text.Glob;
import io.asynq4j.service.Scope;
import io.asynq4j.service.api.Exchange;
import io.asynq4j.service.api.RequestRecord;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Who may ask for what. Immutable. */
public final class AccessControl {

  /** Where no keys are configured, which only a loopback address may do. */
  private static final ApiKey ANYBODY =
      new ApiKey("anybody", "", EnumSet.allOf(Scope.class), List.of(Glob.of("*")));

  private static final Pattern LOCAL =
      Pattern.compile("localhost|127\\.[0-9.]+|\\[?[0-9a-fA-F:]*:1\\]?");

  private final Map<String, ApiKey> byHash = new HashMap<>();

  public AccessControl(List<ApiKey> keys) {
    keys.forEach(key -> byHash.put(key.hash(), key));
  }

  /** Whether there are no keys at all. */
  public boolean isOpen() {
    return byHash.isEmpty();
  }

  /** Who sends a body, by this header; empty for requests that are refused without reading it. */
  public Optional<BodyCaller> bodyCaller(@Nullable String authorization) {
    return isOpen()
        ? Optional.of(BodyCaller.alone())
        : presented(authorization).flatMap(this::find).map(key -> BodyCaller.verified(key.hash()));
  }

  /** The key in an Authorization header: as a bearer, or as the password of any user. */
  static Optional<String> presented(@Nullable String authorization) {
    Optional<String> bearer = Exchange.bearer(authorization);
    return bearer.isPresent() ? bearer : password(authorization);
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
    // Found by its hash: how long that takes tells nothing about the keys there are.
    return Optional.ofNullable(byHash.get(ApiKey.hashOf(presented)));
  }

  public ApiKey require(HttpServletRequest request, @Nullable Scope scope, RequestRecord visit) {
    if (scope == null) {
      return ANYBODY;
    }
    if (byHash.isEmpty()) {
      requireNoWebPage(request);
      return ANYBODY;
    }
    ApiKey key =
        Exchange.bearer(request.getHeader("Authorization"))
            .flatMap(this::find)
            .orElseThrow(
                () ->
                    new Problem(
                        401,
                        "unauthorized",
                        "send a valid API key: \"Authorization: Bearer asq_…\""));
    visit.isOf(key);
    if (!key.scopes().contains(scope)) {
      throw new Problem(
          403, "forbidden", "the key \"%s\" lacks the scope %s".formatted(key.name(), scope));
    }
    return key;
  }

  /** Without keys, a page in somebody's browser must not get through to a local service. */
  private static void requireNoWebPage(HttpServletRequest request) {
    if (request.getHeader("Origin") != null || !LOCAL.matcher(request.getServerName()).matches()) {
      throw new Problem(
          403, "forbidden", "without API keys, web pages and other host names are refused");
    }
  }

  /** A queue that no definition assigns to a name is the key's if it is named like its tasks. */
  public static void requireQueue(ApiKey caller, String queue) {
    if (!caller.allows(queue)) {
      throw new Problem(
          403,
          "forbidden",
          "the key \"%s\" is not for queues named \"%s\"".formatted(caller.name(), queue));
    }
  }

  /** For what shows or changes all tasks at once. */
  public static void requireUnrestricted(ApiKey caller) {
    if (!caller.isUnrestricted()) {
      throw new Problem(
          403,
          "forbidden",
          "the key \"%s\" is restricted to some names; this concerns all of them"
              .formatted(caller.name()));
    }
  }

  public static void requireName(ApiKey caller, String taskName) {
    if (!caller.allows(taskName)) {
      throw new Problem(
          403,
          "forbidden",
          "the key \"%s\" is not for tasks named \"%s\"".formatted(caller.name(), taskName));
    }
  }
}
