package io.asynq4j.service.api;

import static org.eclipse.jetty.http.HttpHeader.AUTHORIZATION;

import io.asynq4j.http.BodyCaller;
import io.asynq4j.http.BodyLimits;
import io.asynq4j.http.BodyReceiver;
import io.asynq4j.http.PemKeyStore;
import io.asynq4j.http.ProblemErrorHandler;
import io.asynq4j.http.ResponseSender;
import io.asynq4j.http.StrictTransportSecurity;
import io.asynq4j.http.ThreadBudget;
import io.asynq4j.service.config.ListenAddress;
import io.asynq4j.service.response.Problems;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Jetty with the servlets of the service. Thread-safe. */
public final class WebServer implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(WebServer.class);

  private static final int MAX_THREADS = 200;

  /** Path that is served regardless of the load. */
  private static final String HEALTH = "/livez";

  /** Longer than a request may wait for its response. */
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(90);

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

  private final Server server;
  private final ServerConnector connector;
  private final ResponseSender sender;
  private final ServletContextHandler context = new ServletContextHandler("/");
  private final SslContextFactory.@Nullable Server tls;

  /**
   * @param bodies limits of request bodies
   * @param callers returns the sender of a body by its Authorization header, if any; empty for
   *     requests that are refused without reading the body
   */
  public WebServer(
      ListenAddress address,
      HttpServlet servlet,
      Supplier<BodyLimits> bodies,
      Function<@Nullable String, Optional<BodyCaller>> callers) {
    QueuedThreadPool threads = new QueuedThreadPool(MAX_THREADS);
    threads.setName("asynq-http");
    this.server = new Server(threads);
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    // Ids may contain any character.
    http.setUriCompliance(
        UriCompliance.DEFAULT.with(
            "ids",
            UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
            UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING));
    HttpConnectionFactory plain = new HttpConnectionFactory(http);
    if (address.isEncrypted()) {
      http.addCustomizer(StrictTransportSecurity.customizer());
      this.tls = new SslContextFactory.Server();
      use(tls, address);
      this.connector =
          new ServerConnector(server, new SslConnectionFactory(tls, plain.getProtocol()), plain);
    } else {
      this.tls = null;
      this.connector = new ServerConnector(server, plain);
    }
    connector.setHost(address.host());
    connector.setPort(address.port());
    connector.setIdleTimeout(IDLE_TIMEOUT.toMillis());
    server.addConnector(connector);
    context.getServletHandler().setDecodeAmbiguousURIs(true);
    add(servlet, "/*");
    ThreadBudget budget =
        new ThreadBudget(
            context,
            MAX_THREADS - ThreadBudget.RESERVED,
            request -> Request.getPathInContext(request).equals(HEALTH));
    this.sender =
        new ResponseSender(
            new BodyReceiver(
                budget, bodies, request -> callers.apply(request.getHeaders().get(AUTHORIZATION))));
    server.setHandler(new GracefulHandler(sender));
    server.setErrorHandler(new ProblemErrorHandler(Problems::ofStatus, Problems::render));
    context.setErrorHandler(new ProblemErrorHandler(Problems::ofStatus, Problems::render));
    server.setStopTimeout(STOP_TIMEOUT.toMillis());
  }

  private static void use(SslContextFactory.Server tls, ListenAddress address) {
    Path certificate = Objects.requireNonNull(address.certificate(), "certificate");
    Path key = Objects.requireNonNull(address.key(), "key");
    tls.setKeyStore(PemKeyStore.read(certificate, key));
    tls.setKeyStorePassword(PemKeyStore.PASSWORD);
  }

  /** Adds a servlet before the start. */
  public void add(HttpServlet servlet, String path) {
    ServletHolder holder = new ServletHolder(servlet);
    holder.setAsyncSupported(true);
    // Initialized with the server, so that a failure is reported at the start.
    holder.setInitOrder(1);
    context.addServlet(holder, path);
  }

  /** Adds a filter before the start. */
  public void add(Filter filter, String path) {
    FilterHolder holder = new FilterHolder(filter);
    holder.setAsyncSupported(true);
    context.addFilter(holder, path, EnumSet.of(DispatcherType.REQUEST));
  }

  public void start() throws Exception {
    server.start();
  }

  /** Reads the certificate again; new connections use it. */
  public void reload(ListenAddress address) {
    SslContextFactory.Server current = tls;
    if (current == null || !address.isEncrypted()) {
      return;
    }
    try {
      current.reload(factory -> use(current, address));
    } catch (Exception e) {
      log.error(
          "the certificate could not be reloaded; the previous one stays in use: {}",
          e.getMessage());
    }
  }

  /** Number of bytes of responses that wait for clients to read them. */
  long unsent() {
    return sender.held();
  }

  public int port() {
    return connector.getLocalPort();
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception e) {
      log.warn("requests were still open when the service stopped: {}", e.getMessage());
    }
  }
}
