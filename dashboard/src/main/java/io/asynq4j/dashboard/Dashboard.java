package io.asynq4j.dashboard;

import io.asynq4j.dashboard.api.Problems;
import io.asynq4j.dashboard.auth.ClientAddressResolver;
import io.asynq4j.dashboard.config.DashboardSettings;
import io.asynq4j.dashboard.config.RedactionRule;
import io.asynq4j.http.BodyCaller;
import io.asynq4j.http.BodyLimits;
import io.asynq4j.http.BodyReceiver;
import io.asynq4j.http.IpNetwork;
import io.asynq4j.http.ProblemErrorHandler;
import io.asynq4j.http.ResponseSender;
import io.asynq4j.http.StrictTransportSecurity;
import io.asynq4j.http.ThreadBudget;
import io.asynq4j.redis.RedisConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running dashboard with a server of its own. Thread-safe; uses connections to Redis and does not
 * close them.
 *
 * <pre>{@code
 * try (Dashboard dashboard = Dashboard.builder(redis).port(8080).start()) {
 *   System.out.println(dashboard.uri());
 * }
 * }</pre>
 *
 * <p>It listens on 127.0.0.1 unless told otherwise, and beyond the loopback only with
 * authentication. docs/guides/dashboard.md tells the rest.
 */
public final class Dashboard implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Dashboard.class);

  private static final Duration STOPPING = Duration.ofSeconds(5);
  private static final Duration IDLE_AT_END = Duration.ofMillis(50);
  private static final int MAX_THREADS = 50;

  private final Server server;
  private final DashboardServlet servlet;
  private final BodyReceiver receiver;
  private final ResponseSender sender;
  private final URI uri;

  private Dashboard(Builder builder) {
    this.servlet = builder.servlet();
    QueuedThreadPool threads = new QueuedThreadPool(MAX_THREADS, 2);
    threads.setName("asynq-dashboard");
    threads.setDaemon(true);
    this.server = new Server(threads);
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendDateHeader(true);
    ServerConnector connector = connector(http, builder.tls);
    connector.setHost(builder.host);
    connector.setPort(builder.port);
    // Connections that browsers keep open for later need not be waited for.
    connector.setShutdownIdleTimeout(IDLE_AT_END.toMillis());
    server.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler();
    context.setContextPath(builder.rootPath.isEmpty() ? "/" : builder.rootPath);
    ServletHolder holder = new ServletHolder(servlet);
    holder.setAsyncSupported(true);
    // Before the first request, so that the history begins with the dashboard.
    holder.setInitOrder(0);
    context.addServlet(holder, "/*");
    String health = builder.rootPath + "/health";
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
    server.setStopTimeout(STOPPING.toMillis());
    try {
      server.start();
    } catch (Exception e) {
      close();
      throw new IllegalStateException(
          "the dashboard cannot listen on %s:%d: %s"
              .formatted(builder.host, builder.port, e.getMessage()),
          e);
    }
    String host = builder.host.contains(":") ? "[" + builder.host + "]" : builder.host;
    this.uri =
        URI.create(
            (builder.tls == null ? "http://" : "https://")
                + host
                + ":"
                + connector.getLocalPort()
                + builder.rootPath
                + "/");
    log.info("the dashboard listens on {}", uri);
  }

  private ServerConnector connector(HttpConfiguration http, @Nullable TlsCertificate tls) {
    if (tls == null) {
      return new ServerConnector(server, new HttpConnectionFactory(http));
    }
    http.addCustomizer(StrictTransportSecurity.customizer());
    SslContextFactory.Server factory = new SslContextFactory.Server();
    factory.setSslContext(tls.context());
    return new ServerConnector(server, factory, new HttpConnectionFactory(http));
  }

  private Optional<BodyCaller> bodyCaller(Request request) {
    return servlet
        .application()
        .gate()
        .bodyCaller(
            Request.getRemoteAddr(request),
            request.getHeaders()::get,
            request.getHeaders().getValuesList(ClientAddressResolver.FORWARDED_FOR));
  }

  public static Builder builder(RedisConnection redis) {
    return new Builder("default", redis);
  }

  /** With a name for the Redis, where there will be several. */
  public static Builder builder(String name, RedisConnection redis) {
    return new Builder(name, redis);
  }

  /** Where it is. */
  public URI uri() {
    return uri;
  }

  /** How many bytes of bodies are held. */
  long received() {
    return receiver.held();
  }

  /** How many bytes of responses wait for clients to read them. */
  long unsent() {
    return sender.held();
  }

  /** Waits until it is closed. */
  public void join() throws InterruptedException {
    server.join();
  }

  /** Ends it: open pages are cut off, jobs are stopped. The connections to Redis stay open. */
  @Override
  public void close() {
    servlet.close();
    try {
      server.stop();
    } catch (Exception e) {
      log.warn("the dashboard did not stop in order", e);
    }
  }

  /** Collects settings; not thread-safe. */
  public static final class Builder {

    private static final Pattern ROOT = Pattern.compile("(/[A-Za-z0-9._~-]+)*");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private final Map<String, RedisConnection> redis = new LinkedHashMap<>();
    private final Set<HiddenField> hidden = EnumSet.noneOf(HiddenField.class);
    private final List<RedactionRule> redactions = new ArrayList<>();
    private final List<PayloadFormatter> payloadFormatters = new ArrayList<>();
    private final List<PayloadFormatter> resultFormatters = new ArrayList<>();
    private final Set<String> allowedHosts = new LinkedHashSet<>();
    private String host = "127.0.0.1";
    private int port = 8080;
    private String rootPath = "";
    private String title = "asynq";
    private boolean readOnly;
    private boolean metrics = true;
    private boolean metricsOnly;
    private Duration refresh = Duration.ofSeconds(2);
    private int archiveSize = 7_900;
    private final List<IpNetwork> proxies = new ArrayList<>();
    private @Nullable Credentials credentials;
    private @Nullable TrustedProxy trustedProxy;
    private @Nullable Authenticator authenticator;
    private @Nullable TlsCertificate tls;

    private Builder(String name, RedisConnection redis) {
      redis(name, redis);
    }

    /** One more Redis; the page lets people choose by the name. */
    public Builder redis(String name, RedisConnection connection) {
      require(NAME.matcher(name).matches(), "a name must be of letters, digits and ._- : " + name);
      require(
          redis.put(name, Objects.requireNonNull(connection, "connection")) == null,
          "there are two Redis named " + name);
      return this;
    }

    /** The address to listen on; 127.0.0.1 unless set. Others need authentication. */
    public Builder host(String address) {
      this.host = address;
      return this;
    }

    /** The port to listen on; 8080 unless set, 0 for any that is free. */
    public Builder port(int newPort) {
      require(newPort >= 0 && newPort <= 65_535, "port must be 0 to 65535: " + newPort);
      this.port = newPort;
      return this;
    }

    /** The path before all others, such as {@code /tasks}; none unless set. */
    public Builder rootPath(String path) {
      String trimmed = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
      require(
          ROOT.matcher(trimmed).matches() && !trimmed.contains(".."),
          "a root path must look like /tasks: " + path);
      this.rootPath = trimmed;
      return this;
    }

    /** Listens with TLS, for HTTPS alone; without unless set. */
    public Builder tls(TlsCertificate certificate) {
      this.tls = Objects.requireNonNull(certificate, "certificate");
      return this;
    }

    /** What the page is called; asynq unless set. */
    public Builder title(String newTitle) {
      this.title = newTitle;
      return this;
    }

    /** Changes nothing, whoever asks. */
    public Builder readOnly(boolean wanted) {
      this.readOnly = wanted;
      return this;
    }

    /** Whether {@code /metrics} is served; it is unless set. */
    public Builder metrics(boolean wanted) {
      this.metrics = wanted;
      return this;
    }

    /** Serves nothing but {@code /metrics}, with those of this process, and {@code /health}. */
    public Builder metricsOnly() {
      this.metrics = true;
      this.metricsOnly = true;
      return this;
    }

    /** How often Redis is looked at while somebody watches; every 2 seconds unless set. */
    public Builder refresh(Duration interval) {
      require(
          interval.toMillis() >= 100 && interval.compareTo(Duration.ofMinutes(1)) <= 0,
          "refresh must be 100 ms to 1 minute: " + interval);
      this.refresh = interval;
      return this;
    }

    /** How many archived tasks a queue keeps; say the same as to the servers, 7,900 unless set. */
    public Builder archiveSize(int tasks) {
      require(tasks >= 1, "archiveSize must be 1 or more: " + tasks);
      this.archiveSize = tasks;
      return this;
    }

    /** A part of tasks that is never shown, nor searched in. */
    public Builder hide(HiddenField field) {
      hidden.add(field);
      return this;
    }

    /**
     * A place in JSON payloads and results that is never shown, nor searched in: {@code
     * $.card.number}, {@code $.users[*].token}, {@code $..password}.
     */
    public Builder redact(String path) {
      return redact("*", path);
    }

    /**
     * The same for some types of tasks. What is no JSON is not shown at all then.
     *
     * @param type with {@code *} for any characters
     */
    public Builder redact(String type, String path) {
      redactions.add(RedactionRule.of(type, path));
      return this;
    }

    /** How payloads are shown; the first of several formatters that knows what to do is used. */
    public Builder payloadFormatter(PayloadFormatter formatter) {
      payloadFormatters.add(Objects.requireNonNull(formatter, "formatter"));
      return this;
    }

    public Builder resultFormatter(PayloadFormatter formatter) {
      resultFormatters.add(Objects.requireNonNull(formatter, "formatter"));
      return this;
    }

    /** Who may log in by a password or a token. */
    public Builder credentials(Credentials newCredentials) {
      this.credentials = newCredentials;
      return this;
    }

    /**
     * A proxy that logs users in. It is trusted to name clients too, as by {@link #forwardedBy}.
     */
    public Builder trustedProxy(TrustedProxy proxy) {
      this.trustedProxy = proxy;
      proxies.addAll(proxy.networks());
      return this;
    }

    /**
     * A reverse proxy before the dashboard, by its address or network such as {@code 10.0.0.0/8}.
     * The address of a client is then what the proxy adds to {@code X-Forwarded-For}. Without this,
     * all clients behind a proxy share one address, and the failed logins of one delay the others.
     */
    public Builder forwardedBy(String address) {
      proxies.add(IpNetwork.parse(address));
      return this;
    }

    /** Asks the application that the servlet is mounted in who a request is from. */
    public Builder authenticator(Authenticator newAuthenticator) {
      this.authenticator = newAuthenticator;
      return this;
    }

    /**
     * One more name under which a dashboard without authentication answers its own machine, beside
     * localhost.
     */
    public Builder allowHost(String name) {
      allowedHosts.add(name.toLowerCase(Locale.ROOT));
      return this;
    }

    /**
     * As a servlet, for a container of yours; address, port, root path and TLS are its matter then.
     */
    public DashboardServlet servlet() {
      return new DashboardServlet(
          new DashboardSettings(
              redis,
              title,
              readOnly,
              metrics,
              metricsOnly,
              refresh,
              archiveSize,
              hidden,
              redactions,
              payloadFormatters,
              resultFormatters,
              credentials,
              trustedProxy,
              authenticator,
              allowedHosts,
              proxies));
    }

    /** With a server of its own, which listens when this returns. */
    public Dashboard start() {
      boolean hasAuthentication =
          credentials != null || trustedProxy != null || authenticator != null;
      if (!hasAuthentication && !isLoopback()) {
        throw new IllegalStateException(
            "the dashboard does not listen on "
                + host
                + " without authentication, for everybody there could read or change tasks; give it credentials(…) or a"
                + " trustedProxy(…), or listen on 127.0.0.1");
      }
      if (credentials != null && tls == null && !isLoopback()) {
        log.warn(
            "the dashboard listens on {} without TLS: passwords can be read on the way; give it a certificate"
                + " with tls(…), or put a proxy with TLS before it",
            host);
      }
      return new Dashboard(this);
    }

    @SuppressWarnings("AddressSelection") // All addresses of a name would have to be loopback.
    private boolean isLoopback() {
      InetSocketAddress address = new InetSocketAddress(host, port);
      require(!address.isUnresolved(), "there is no such address to listen on: " + host);
      return address.getAddress().isLoopbackAddress();
    }

    private static void require(boolean condition, String problem) {
      if (!condition) {
        throw new IllegalArgumentException(problem);
      }
    }
  }
}
