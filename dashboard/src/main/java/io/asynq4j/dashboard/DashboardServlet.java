package io.asynq4j.dashboard;

import io.asynq4j.dashboard.internal.config.DashboardSettings;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.MappingMatch;
import java.io.IOException;

/**
 * The dashboard as a servlet for any container: {@code Dashboard.builder(redis)….servlet()}. Map it
 * to a path such as {@code /tasks/*} and enable asynchronous requests, which live updates need.
 * Thread-safe. It stops with the container, or when it is closed.
 */
public final class DashboardServlet extends HttpServlet implements AutoCloseable {

  private final transient DashboardApplication application;
  private transient boolean isStarted;
  private transient boolean isClosed;

  DashboardServlet(DashboardSettings settings) {
    this.application = new DashboardApplication(settings);
  }

  DashboardApplication application() {
    return application;
  }

  @Override
  public synchronized void init() {
    if (!isStarted && !isClosed) {
      isStarted = true;
      application.start();
    }
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    HttpServletMapping mapping = request.getHttpServletMapping();
    MappingMatch kind = mapping == null ? null : mapping.getMappingMatch();
    String path = request.getPathInfo();
    String root = request.getContextPath() + request.getServletPath();
    if (kind == MappingMatch.DEFAULT) {
      path = request.getServletPath();
      root = request.getContextPath();
    }
    if (path == null) {
      // Without the trailing slash, relative links of the page would be resolved wrongly.
      boolean isRead = request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
      if (isRead && !root.isEmpty()) {
        response.setStatus(HttpServletResponse.SC_FOUND);
        response.setHeader("Location", root + "/");
        return;
      }
      path = "/";
    }
    application.serve(request, response, root, path);
  }

  @Override
  public void destroy() {
    close();
  }

  /** Stops threads and jobs. The connections to Redis stay open. */
  @Override
  public synchronized void close() {
    if (!isClosed) {
      isClosed = true;
      application.close();
    }
  }
}
