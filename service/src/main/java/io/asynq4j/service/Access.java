package io.asynq4j.service;

import jakarta.servlet.http.HttpServletRequest;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Who may ask for what. Immutable. */
final class Access {

  /** Where no keys are configured, which only a loopback address may do. */
  private static final ApiKey ANYBODY =
      new ApiKey("anybody", "", EnumSet.allOf(Scope.class), List.of(Glob.of("*")));

  private static final Pattern LOCAL =
      Pattern.compile("localhost|127\\.[0-9.]+|\\[?[0-9a-fA-F:]*:1\\]?");

  private final Map<String, ApiKey> byHash = new HashMap<>();

  Access(List<ApiKey> keys) {
    keys.forEach(key -> byHash.put(key.hash(), key));
  }

  /** Whether there are no keys at all. */
  boolean isOpen() {
    return byHash.isEmpty();
  }

  Optional<ApiKey> find(String presented) {
    // Found by its hash: how long that takes tells nothing about the keys there are.
    return Optional.ofNullable(byHash.get(ApiKey.hashOf(presented)));
  }

  ApiKey require(HttpServletRequest request, @Nullable Scope scope, Visit visit) {
    if (scope == null) {
      return ANYBODY;
    }
    if (byHash.isEmpty()) {
      requireNoWebPage(request);
      return ANYBODY;
    }
    String presented = Exchange.bearer(request);
    ApiKey key =
        Optional.ofNullable(presented)
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

  static void requireName(ApiKey caller, String taskName) {
    if (!caller.allows(taskName)) {
      throw new Problem(
          403,
          "forbidden",
          "the key \"%s\" is not for tasks named \"%s\"".formatted(caller.name(), taskName));
    }
  }
}
