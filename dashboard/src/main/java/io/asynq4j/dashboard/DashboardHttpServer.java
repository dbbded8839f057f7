package io.asynq4j.dashboard;

import io.asynq4j.dashboard.internal.auth.ClientAddressResolver;
import io.asynq4j.dashboard.internal.config.DashboardSettings;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.http.BodyCaller;
import io.asynq4j.http.BodyLimits;
import io.asynq4j.http.BodyReceiver;
import io.asynq4j.http.ProblemErrorHandler;
import io.asynq4j.http.ResponseSender;
import io.asynq4j.http.StrictTransportSecurity;
import io.asynq4j.http.ThreadBudget;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/** The embedded HTTP server of a standalone dashboard. Thread-safe. */
final class DashboardHttpServer {

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);
  private static final int MAX_THREADS = 50;

  /** Idle connections of browsers are closed after this time during shutdown. */
  private static final Duration SHUTDOWN_IDLE_TIMEOUT = Duration.ofMillis(50);

  private final Server server;
  private final ServerConnector connector;
  private final DashboardServlet servlet;
  private final String host;
  private final String rootPath;
  private final boolean isTls;
  private final BodyReceiver receiver;
  private final ResponseSender sender;

  DashboardHttpServer(
      DashboardServlet servlet,
      String host,
      int port,
      String rootPath,
      @Nullable TlsCertificate tls) {
    this.servlet = servlet;
    this.host = host;
    this.rootPath = rootPath;
    this.isTls = tls != null;
    QueuedThreadPool threads = new QueuedThreadPool(MAX_THREADS, 2);
    threads.setName("asynq-dashboard");
    threads.setDaemon(true);
    this.server = new Server(threads);
    this.connector = connector(server, tls);
    connector.setHost(host);
    connector.setPort(port);
    connector.setShutdownIdleTimeout(SHUTDOWN_IDLE_TIMEOUT.toMillis());
    server.addConnector(connector);
    ServletContextHandler context = context();
    String health = rootPath + "/health";
    ThreadBudget budget =
        new ThreadBudget(
            context,
            MAX_THREADS - ThreadBudget.RESERVED,
            request -> Request.getPathInContext(request).equals(health));
    BodyLimits bodies = BodyLimits.upTo(DashboardSettings.LARGEST_BODY);
    this.receiver = new BodyReceiver(budget, () -> bodies, this::bodyCaller);
    this.sender = new ResponseSender(receiver);
    server.setHandler(sender);
    server.setErrorHandler(new ProblemErrorHandler(Problems::ofStatus, Problems::render));
    context.setErrorHandler(new ProblemErrorHandler(Problems::ofStatus, Problems::render));
    server.setStopTimeout(STOP_TIMEOUT.toMillis());
  }

  private static ServerConnector connector(Server server, @Nullable TlsCertificate tls) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendDateHeader(true);
    if (tls == null) {
      return new ServerConnector(server, new HttpConnectionFactory(http));
    }
    http.addCustomizer(StrictTransportSecurity.customizer());
    SslContextFactory.Server factory = new SslContextFactory.Server();
    factory.setSslContext(tls.context());
    return new ServerConnector(server, factory, new HttpConnectionFactory(http));
  }

  private ServletContextHandler context() {
    ServletContextHandler context = new ServletContextHandler();
    context.setContextPath(rootPath.isEmpty() ? "/" : rootPath);
    ServletHolder holder = new ServletHolder(servlet);
    holder.setAsyncSupported(true);
    // Initialized before the first request, so that the history starts with the dashboard.
    holder.setInitOrder(0);
    context.addServlet(holder, "/*");
    return context;
  }

  private Optional<BodyCaller> bodyCaller(Request request) {
    return servlet
        .application()
        .access()
        .bodyCaller(
            Request.getRemoteAddr(request),
            request.getHeaders()::get,
            request.getHeaders().getValuesList(ClientAddressResolver.FORWARDED_FOR));
  }

  void start() throws Exception {
    server.start();
  }

  /** Returns the address of the start page. The server must be running. */
  URI uri() {
    return URI.create(
        "%s://%s:%d%s/"
            .formatted(
                isTls ? "https" : "http",
                host.contains(":") ? "[" + host + "]" : host,
                connector.getLocalPort(),
                rootPath));
  }

  /** Returns the size of the request bodies that are being received, in bytes. */
  long received() {
    return receiver.held();
  }

  /** Returns the size of the responses that clients have not read yet, in bytes. */
  long unsent() {
    return sender.held();
  }

  void join() throws InterruptedException {
    server.join();
  }

  void stop() throws Exception {
    server.stop();
  }
}
