package io.asynq4j.service.auth;

import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.Role;
import io.asynq4j.internal.text.Glob;
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
 * Protects the dashboard by API keys with the scope operate, sent as a bearer token or as the
 * password in the browser's login dialog. The dashboard shows the queues of the tasks that the key
 * allows. Thread-safe.
 */
public final class DashboardAuthFilter extends HttpFilter {

  private static final long serialVersionUID = 1;

  /** Request attribute with the key, for {@link #grant}. */
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
      // The dashboard itself then serves only this machine.
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
      response
          .getWriter()
          .println("log in with an API key that has the scope operate as the password");
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

  /**
   * Returns what the caller may do in the dashboard; empty if this filter did not admit the
   * request.
   */
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

  /**
   * Whether a grant for this queue matches no other queue. Definitions in a file may have any name.
   */
  public static boolean isNoPattern(String queue) {
    return queue.indexOf('*') < 0 && queue.length() <= Glob.MAX_LENGTH;
  }
}
