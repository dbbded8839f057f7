package io.asynq4j.dashboard;

import io.asynq4j.dashboard.internal.api.AuditResource;
import io.asynq4j.dashboard.internal.api.BulkJobResource;
import io.asynq4j.dashboard.internal.api.Exchange;
import io.asynq4j.dashboard.internal.api.MetricsResource;
import io.asynq4j.dashboard.internal.api.OverviewResource;
import io.asynq4j.dashboard.internal.api.PathSegmentCodec;
import io.asynq4j.dashboard.internal.api.QueueResource;
import io.asynq4j.dashboard.internal.api.RedisResource;
import io.asynq4j.dashboard.internal.api.ScheduleResource;
import io.asynq4j.dashboard.internal.api.SearchResource;
import io.asynq4j.dashboard.internal.api.ServerResource;
import io.asynq4j.dashboard.internal.api.SessionResource;
import io.asynq4j.dashboard.internal.api.TaskActionResource;
import io.asynq4j.dashboard.internal.api.TaskResource;
import io.asynq4j.dashboard.internal.auth.AuditLog;
import io.asynq4j.dashboard.internal.auth.User;
import io.asynq4j.dashboard.internal.config.DashboardSettings;
import io.asynq4j.dashboard.internal.live.RedisInstances;
import io.asynq4j.dashboard.internal.page.ProblemPage;
import io.asynq4j.dashboard.internal.page.StaticFiles;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.dashboard.internal.search.BulkJobRunners;
import io.asynq4j.dashboard.internal.view.PayloadRenderer;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.Json;
import io.asynq4j.http.Problem;
import io.asynq4j.http.Route;
import io.asynq4j.http.Router;
import io.asynq4j.internal.text.TextExcerpt;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the requests of a dashboard. {@link #serve} contains the steps in order: authentication,
 * routing, permission, response and audit log.
 */
final class DashboardApplication implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(DashboardApplication.class);

  private static final String CSP =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
          + " connect-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'self';"
          + " frame-ancestors 'none'";

  private static final Pattern SAFE_PATH = Pattern.compile("/[^\\p{Cntrl}\\\\]*");

  private final DashboardSettings settings;
  private final AccessControl access;
  private final AuditLog audit = new AuditLog();
  private final RedisInstances sources;
  private final BulkJobRunners jobs;
  private final @Nullable MetricsResource metrics;
  private final Router<Role, Exchange> router;
  private final StaticFiles pages = new StaticFiles();

  DashboardApplication(DashboardSettings settings) {
    this.settings = settings;
    this.access = new AccessControl(settings);
    this.sources = new RedisInstances(settings);
    PayloadRenderer contents = new PayloadRenderer(settings);
    this.jobs = new BulkJobRunners(sources, contents, audit);
    this.metrics = settings.metrics() ? new MetricsResource(sources, settings.metricsOnly()) : null;
    List<Route<Role, Exchange>> routes = new ArrayList<>();
    routes.add(SessionResource.health());
    if (!settings.metricsOnly()) {
      routes.addAll(new SessionResource(settings).routes());
      routes.addAll(new RedisResource(sources).routes());
      routes.addAll(new OverviewResource().routes());
      routes.addAll(new QueueResource().routes());
      routes.addAll(new TaskResource(contents).routes());
      routes.addAll(new TaskActionResource(contents).routes());
      routes.addAll(new SearchResource(contents).routes());
      routes.addAll(new BulkJobResource(jobs).routes());
      routes.addAll(new ServerResource(contents).routes());
      routes.addAll(new ScheduleResource(contents).routes());
      routes.addAll(new AuditResource(audit).routes());
    }
    if (metrics != null) {
      routes.addAll(metrics.routes());
    }
    this.router = new Router<>(routes, PathSegmentCodec::decode, Problems.FACTORY);
  }

  void start() {
    if (!settings.metricsOnly()) {
      sources.start();
    }
  }

  AccessControl access() {
    return access;
  }

  Router<Role, Exchange> router() {
    return router;
  }

  RedisInstances sources() {
    return sources;
  }

  /**
   * @param root path at which the dashboard is mounted, without a trailing slash
   * @param path decoded path below the root
   */
  void serve(HttpServletRequest request, HttpServletResponse response, String root, String path)
      throws IOException {
    protect(response);
    try {
      answer(request, response, root, path);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } catch (RuntimeException e) {
      Problem problem = Problems.of(e);
      if (problem.status() == 500) {
        log.error("{} {} failed", request.getMethod(), printable(path), e);
      }
      respondWithProblem(problem, request, response, path);
    }
  }

  /** Removes line breaks from a path for the log, because clients choose it. */
  private static String printable(String path) {
    return Json.text(TextExcerpt.of(path, 200));
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
      throw Problems.badRequest("Invalid path.");
    }
    boolean isOpen = path.equals("/health");
    User user = isOpen ? new User(null, Grant.of(Role.VIEWER)) : access.authenticate(request);
    Optional<Router.Match<Role, Exchange>> match = router.find(request.getMethod(), path);
    if (match.isPresent()) {
      Route<Role, Exchange> route = match.get().route();
      if (!isOpen) {
        AccessControl.requireOwnOrigin(request, route.changes());
      }
      run(
          new Exchange(
              request,
              response,
              root,
              route,
              match.get().variables(),
              user,
              access.addressOf(request),
              sources));
      return;
    }
    if (settings.metricsOnly()) {
      throw Problems.notFound("Path not found. This dashboard serves only /metrics and /health.");
    }
    if (path.equals("/api") || path.startsWith("/api/")) {
      throw Problems.notFound("Path not found in the API; see api/v1/openapi.yaml.");
    }
    if (!request.getMethod().equals("GET") && !request.getMethod().equals("HEAD")) {
      throw Problems.FACTORY.methodNotAllowed(request.getMethod(), List.of("GET"));
    }
    ApiResponse page =
        pages.get(path, root).orElseThrow(() -> Problems.notFound("Path not found."));
    String tag = page.headers().get("ETag");
    if (tag != null && tag.equals(request.getHeader("If-None-Match"))) {
      response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
      return;
    }
    write(page, request, response);
  }

  private void run(Exchange exchange) throws IOException {
    Route<Role, Exchange> route = exchange.route();
    requireRole(route, exchange.user());
    ApiResponse reply;
    try {
      reply = handle(exchange);
    } catch (RuntimeException e) {
      if (exchange.changes()) {
        Problem problem = Problems.of(e);
        record(exchange, problem.status() + " " + problem.detail());
      }
      throw e;
    }
    if (exchange.changes()) {
      exchange.source().markChanged();
      record(exchange, "done");
    }
    if (!reply.equals(ApiResponse.TAKEN_OVER)) {
      write(reply, exchange.request(), exchange.response());
    }
  }

  private static ApiResponse handle(Exchange exchange) {
    try {
      return exchange.route().endpoint().handle(exchange).toCompletableFuture().join();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("the operation failed", e);
    }
  }

  private void requireRole(Route<Role, Exchange> route, User user) {
    Role needed = route.permission();
    if (needed == null || user.grant().role().mayDo(needed)) {
      return;
    }
    if (settings.readOnly()) {
      throw Problems.readOnly();
    }
    throw Problems.forbidden(
        "This operation requires the role %s. Your role is %s."
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

  private void respondWithProblem(
      Problem problem, HttpServletRequest request, HttpServletResponse response, String path)
      throws IOException {
    if (response.isCommitted()) {
      return;
    }
    response.resetBuffer();
    problem.headers().forEach(response::setHeader);
    String challenge = access.challenge();
    if (problem.status() == 401 && challenge != null) {
      response.setHeader("WWW-Authenticate", challenge);
    }
    ApiResponse reply =
        ProblemPage.isWanted(request, path) ? ProblemPage.of(problem) : Problems.render(problem);
    write(reply, request, response);
  }

  private static void write(
      ApiResponse reply, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setStatus(reply.status());
    reply.headers().forEach(response::setHeader);
    if (reply.contentType() == null) {
      return;
    }
    byte[] bytes = reply.body();
    response.setContentType(reply.contentType());
    response.setContentLength(bytes.length);
    if (!request.getMethod().equals("HEAD")) {
      response.getOutputStream().write(bytes);
    }
  }

  @Override
  public void close() {
    jobs.close();
    sources.close();
    if (metrics != null) {
      metrics.close();
    }
  }
}
