package io.asynq4j.service;

import jakarta.servlet.http.HttpServlet;
import java.time.Duration;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Jetty with one servlet. Thread-safe. */
final class WebServer implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(WebServer.class);

  private static final int MOST_THREADS = 200;

  /** Longer than anybody may wait for an answer. */
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(90);

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

  private final Server server;
  private final ServerConnector connector;

  WebServer(ServiceConfig config, HttpServlet servlet) {
    QueuedThreadPool threads = new QueuedThreadPool(MOST_THREADS);
    threads.setName("asynq-http");
    this.server = new Server(threads);
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    // Ids may hold any character.
    http.setUriCompliance(
        UriCompliance.DEFAULT.with(
            "ids",
            UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
            UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING));
    this.connector = new ServerConnector(server, new HttpConnectionFactory(http));
    connector.setHost(config.host());
    connector.setPort(config.port());
    connector.setIdleTimeout(IDLE_TIMEOUT.toMillis());
    server.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler("/");
    context.getServletHandler().setDecodeAmbiguousURIs(true);
    ServletHolder holder = new ServletHolder(servlet);
    holder.setAsyncSupported(true);
    context.addServlet(holder, "/*");
    server.setHandler(new GracefulHandler(context));
    server.setStopTimeout(STOP_TIMEOUT.toMillis());
  }

  void start() throws Exception {
    server.start();
  }

  int port() {
    return connector.getLocalPort();
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception e) {
      log.warn("requests were under way when the service ended: {}", e.getMessage());
    }
  }
}
