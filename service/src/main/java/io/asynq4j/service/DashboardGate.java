package io.asynq4j.service;

import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.Role;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets those into the dashboard whose API key has the scope operate: as a bearer, or as the
 * password that a browser asks for. They see the queues of the tasks that their key is for.
 * Thread-safe.
 */
final class DashboardGate extends HttpFilter {

  private static final long serialVersionUID = 1;

  /** Where the key of a request is noted for {@link #grant}. */
  private static final String KEY = DashboardGate.class.getName();

  private final transient Supplier<Access> access;
  private final transient Catalog catalog;

  DashboardGate(Supplier<Access> access, Catalog catalog) {
    this.access = access;
    this.catalog = catalog;
  }

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    Access now = access.get();
    if (now.isOpen()) {
      // Then the dashboard itself answers nobody but this machine.
      chain.doFilter(request, response);
      return;
    }
    ApiKey key =
        presented(request)
            .flatMap(now::find)
            .filter(found -> found.scopes().contains(Scope.OPERATE))
            .orElse(null);
    if (key == null) {
      response.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
      response.setHeader("WWW-Authenticate", "Basic realm=\"asynq\", charset=\"UTF-8\"");
      response.setContentType("text/plain");
      response.getWriter().println("an API key with the scope operate is the password here");
      return;
    }
    request.setAttribute(KEY, key);
    chain.doFilter(
        new HttpServletRequestWrapper(request) {
          @Override
          public String getRemoteUser() {
            return key.name();
          }
        },
        response);
  }

  private static Optional<String> presented(HttpServletRequest request) {
    String bearer = Exchange.bearer(request);
    return bearer != null ? Optional.of(bearer) : password(request.getHeader("Authorization"));
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

  /** What the dashboard is told of who asks; empty when nobody was let in here. */
  Optional<Grant> grant(HttpServletRequest request, boolean readOnly) {
    if (!(request.getAttribute(KEY) instanceof ApiKey key)) {
      return Optional.empty();
    }
    Role role = readOnly ? Role.VIEWER : Role.ADMIN;
    if (key.names().stream().anyMatch(glob -> glob.text().equals("*"))) {
      return Optional.of(Grant.of(role));
    }
    List<String> queues =
        catalog.all().stream()
            .map(Catalog.Entry::definition)
            .filter(definition -> key.allows(definition.name()))
            .map(definition -> definition.queue().value())
            .toList();
    return queues.isEmpty() ? Optional.empty() : Optional.of(new Grant(role, queues));
  }
}
