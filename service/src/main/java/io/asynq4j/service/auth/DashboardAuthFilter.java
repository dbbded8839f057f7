package io.asynq4j.service.auth;

import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.Role;
import io.asynq4j.internal.text.Glob;
import io.asynq4j.service.Scope;
import io.asynq4j.service.definition.DefinitionCatalog;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Lets those into the dashboard whose API key has the scope operate: as a bearer, or as the
 * password that a browser asks for. They see the queues of the tasks that their key is for.
 * Thread-safe.
 */
public final class DashboardAuthFilter extends HttpFilter {

  private static final long serialVersionUID = 1;

  /** Where the key of a request is noted for {@link #grant}. */
  private static final String KEY = DashboardAuthFilter.class.getName();

  private final transient Supplier<AccessControl> access;
  private final transient DefinitionCatalog catalog;

  public DashboardAuthFilter(Supplier<AccessControl> access, DefinitionCatalog catalog) {
    this.access = access;
    this.catalog = catalog;
  }

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    AccessControl now = access.get();
    if (now.isOpen()) {
      // Then the dashboard itself answers nobody but this machine.
      chain.doFilter(request, response);
      return;
    }
    ApiKey key =
        AccessControl.presented(request.getHeader("Authorization"))
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

  /** What the dashboard is told of who asks; empty when nobody was let in here. */
  public Optional<Grant> grant(HttpServletRequest request, boolean readOnly) {
    if (!(request.getAttribute(KEY) instanceof ApiKey key)) {
      return Optional.empty();
    }
    Role role = readOnly ? Role.VIEWER : Role.ADMIN;
    if (key.isUnrestricted()) {
      return Optional.of(Grant.of(role));
    }
    List<String> queues =
        catalog.all().stream()
            .filter(definition -> key.allows(definition.name()))
            .map(definition -> definition.queue().value())
            .filter(DashboardAuthFilter::isNoPattern)
            .toList();
    return queues.isEmpty() ? Optional.empty() : Optional.of(new Grant(role, queues));
  }

  /** Whether a grant of this queue is for no other; definitions of a file may have any name. */
  public static boolean isNoPattern(String queue) {
    return queue.indexOf('*') < 0 && queue.length() <= Glob.MAX_LENGTH;
  }
}
