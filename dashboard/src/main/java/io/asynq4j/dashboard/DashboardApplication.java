package io.asynq4j.dashboard;

import io.asynq4j.dashboard.api.ApiResponse;
import io.asynq4j.dashboard.api.AuditResource;
import io.asynq4j.dashboard.api.BulkJobResource;
import io.asynq4j.dashboard.api.Exchange;
import io.asynq4j.dashboard.api.Json;
import io.asynq4j.dashboard.api.MetricsResource;
import io.asynq4j.dashboard.api.OverviewResource;
import io.asynq4j.dashboard.api.Problem;
import io.asynq4j.dashboard.api.QueueResource;
import io.asynq4j.dashboard.api.RedisResource;
import io.asynq4j.dashboard.api.Route;
import io.asynq4j.dashboard.api.Router;
import io.asynq4j.dashboard.api.ScheduleResource;
import io.asynq4j.dashboard.api.SearchResource;
import io.asynq4j.dashboard.api.ServerResource;
import io.asynq4j.dashboard.api.SessionResource;
import io.asynq4j.dashboard.api.TaskActionResource;
import io.asynq4j.dashboard.api.TaskResource;
import io.asynq4j.dashboard.auth.AuditLog;
import io.asynq4j.dashboard.auth.User;
import io.asynq4j.dashboard.config.DashboardSettings;
import io.asynq4j.dashboard.live.RedisInstances;
import io.asynq4j.dashboard.page.ProblemPage;
import io.asynq4j.dashboard.page.StaticFiles;
import io.asynq4j.dashboard.view.PayloadRenderer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The whole dashboard behind a servlet: who asks, what for, whether he may, what the answer is, and
 * what of it is written into the audit log. In this order, in {@link #serve}.
 */
final class DashboardApplication implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(DashboardApplication.class);

  private static final String CSP =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
          + " connect-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'self';"
          + " frame-ancestors 'none'";

  private static final Pattern SAFE_PATH = Pattern.compile("/[^\\p{Cntrl}\\\\]*");

  private final DashboardSettings settings;
  private final AccessControl gate;
  private final AuditLog audit = new AuditLog();
  private final RedisInstances sources;
  private final @Nullable MetricsResource metrics;
  private final Router router;
  private final StaticFiles pages = new StaticFiles();

  DashboardApplication(DashboardSettings settings) {
    this.settings = settings;
    this.gate = new AccessControl(settings);
    this.sources = new RedisInstances(settings, audit);
    this.metrics = settings.metrics() ? new MetricsResource(sources, settings.metricsOnly()) : null;
    List<Route> routes = new ArrayList<>();
    routes.add(SessionResource.health());
    if (!settings.metricsOnly()) {
      routes.addAll(new SessionResource(settings).routes());
      PayloadRenderer contents = new PayloadRenderer(settings);
      routes.addAll(new RedisResource(sources).routes());
      routes.addAll(new OverviewResource().routes());
      routes.addAll(new QueueResource().routes());
      routes.addAll(new TaskResource(contents).routes());
      routes.addAll(new TaskActionResource(contents).routes());
      routes.addAll(new SearchResource(contents).routes());
      routes.addAll(new BulkJobResource().routes());
      routes.addAll(new ServerResource(contents).routes());
      routes.addAll(new ScheduleResource(contents).routes());
      routes.addAll(new AuditResource(audit).routes());
    }
    if (metrics != null) {
      routes.addAll(metrics.routes());
    }
    this.router = new Router(routes);
  }

  void start() {
    if (!settings.metricsOnly()) {
      sources.start();
    }
  }

  AccessControl gate() {
    return gate;
  }

  Router router() {
    return router;
  }

  RedisInstances sources() {
    return sources;
  }

  /**
   * @param root where the dashboard is mounted, without a slash at its end
   * @param path behind that, decoded
   */
  void serve(HttpServletRequest request, HttpServletResponse response, String root, String path)
      throws IOException {
    protect(response);
    try {
      answer(request, response, root, path);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } catch (RuntimeException e) {
      Problem problem = Problem.of(e);
      if (problem.status() == 500) {
        log.error("{} {} failed", request.getMethod(), printable(path), e);
      }
      tell(problem, request, response, path);
    }
  }

  /** A path comes from anybody, and must not break the lines of a log. */
  private static String printable(String path) {
    return Json.text(PayloadRenderer.cut(path, 200));
  }

  private static void protect(HttpServletResponse response) {
    response.setHeader("Content-Security-Policy", CSP);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("X-Frame-Options", "DENY");
    response.setHeader("Referrer-Policy", "no-referrer");
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
    response.setHeader("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
    response.setHeader("Cache-Control", "no-store");
  }

  private void answer(
      HttpServletRequest request, HttpServletResponse response, String root, String path)
      throws IOException {
    if (!SAFE_PATH.matcher(path).matches()) {
      throw Problem.badRequest("The path is not one of this dashboard.");
    }
    boolean isOpen = path.equals("/health");
    User user = isOpen ? new User(null, Grant.of(Role.VIEWER)) : gate.admit(request);
    Optional<Router.Match> match = router.find(request.getMethod(), path);
    if (match.isPresent()) {
      Route route = match.get().route();
      if (!isOpen) {
        AccessControl.requireOwnOrigin(request, route.changes());
      }
      run(
          new Exchange(
              request,
              response,
              root,
              route,
              match.get().names(),
              user,
              gate.addressOf(request),
              sources));
      return;
    }
    if (settings.metricsOnly()) {
      throw Problem.notFound("There is nothing here but /metrics and /health.");
    }
    if (path.equals("/api") || path.startsWith("/api/")) {
      throw Problem.notFound("There is nothing at this path of the API; see api/v1/openapi.yaml.");
    }
    if (!request.getMethod().equals("GET") && !request.getMethod().equals("HEAD")) {
      throw Problem.methodNotAllowed(request.getMethod(), "GET");
    }
    ApiResponse page =
        pages.get(path, root).orElseThrow(() -> Problem.notFound("There is nothing at this path."));
    String tag = page.headers().get("ETag");
    if (tag != null && tag.equals(request.getHeader("If-None-Match"))) {
      response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
      return;
    }
    write(page, request, response);
  }

  private void run(Exchange exchange) throws IOException {
    Route route = exchange.route();
    requireRole(route, exchange.user());
    ApiResponse reply;
    try {
      reply = route.handler().handle(exchange);
    } catch (RuntimeException e) {
      if (route.changes()) {
        Problem problem = Problem.of(e);
        record(exchange, problem.status() + " " + problem.detail());
      }
      throw e;
    }
    if (route.changes()) {
      exchange.source().changed();
      record(exchange, "done");
    }
    if (!reply.equals(ApiResponse.TAKEN_OVER)) {
      write(reply, exchange.request(), exchange.response());
    }
  }

  private void requireRole(Route route, User user) {
    Role needed = route.role();
    if (needed == null || user.grant().role().mayDo(needed)) {
      return;
    }
    if (settings.readOnly()) {
      throw Problem.readOnly();
    }
    throw Problem.forbidden(
        "This needs the role %s, and yours is %s."
            .formatted(needed.word(), user.grant().role().word()));
  }

  private void record(Exchange exchange, String outcome) {
    audit.add(
        new AuditLog.Entry(
            sources.now(),
            exchange.user().name(),
            exchange.address(),
            exchange.param("redis", sources.get(null).name()),
            exchange.route().operation(),
            exchange.target(),
            exchange.changed(),
            outcome,
            exchange.reason()));
  }

  private void tell(
      Problem problem, HttpServletRequest request, HttpServletResponse response, String path)
      throws IOException {
    if (response.isCommitted()) {
      return;
    }
    response.resetBuffer();
    problem.headers().forEach(response::setHeader);
    String challenge = gate.challenge();
    if (problem.status() == 401 && challenge != null) {
      response.setHeader("WWW-Authenticate", challenge);
    }
    ApiResponse reply =
        ProblemPage.isWanted(request, path)
            ? ProblemPage.of(problem)
            : new ApiResponse(
                problem.status(),
                Json.bytes(problem.body()),
                "application/problem+json",
                Map.of("Cache-Control", "no-store"));
    write(reply, request, response);
  }

  private static void write(
      ApiResponse reply, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setStatus(reply.status());
    reply.headers().forEach(response::setHeader);
    Object body = reply.body();
    if (body == null) {
      return;
    }
    byte[] bytes = body instanceof byte[] raw ? raw : Json.bytes(body);
    response.setContentType(reply.type() == null ? "application/json" : reply.type());
    response.setContentLength(bytes.length);
    if (!request.getMethod().equals("HEAD")) {
      response.getOutputStream().write(bytes);
    }
  }

  @Override
  public void close() {
    sources.close();
    if (metrics != null) {
      metrics.close();
    }
  }
}
