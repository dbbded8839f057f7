package io.asynq4j.dashboard;

import io.asynq4j.ArchiveSettings;
import io.asynq4j.dashboard.internal.config.DashboardSettings;
import io.asynq4j.redis.RedisConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running dashboard with its own HTTP server. Thread-safe. It does not close the connections to
 * Redis.
 *
 * <pre>{@code
 * try (Dashboard dashboard = Dashboard.builder(redis).port(8080).start()) {
 *   System.out.println(dashboard.uri());
 * }
 * }</pre>
 *
 * <p>It listens on 127.0.0.1 by default, and on other addresses only with authentication. See
 * docs/guides/dashboard.md.
 */
public final class Dashboard implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Dashboard.class);

  private final DashboardServlet servlet;
  private final DashboardHttpServer server;
  private final URI uri;

  private Dashboard(Builder builder) {
    this.servlet = builder.servlet();
    this.server =
        new DashboardHttpServer(servlet, builder.host, builder.port, builder.rootPath, builder.tls);
    try {
      server.start();
    } catch (Exception e) {
      close();
      throw new IllegalStateException(
          "the dashboard cannot listen on %s:%d: %s"
              .formatted(builder.host, builder.port, e.getMessage()),
          e);
    }
    this.uri = server.uri();
    log.info("the dashboard listens on {}", uri);
  }

  /** Creates a builder for a dashboard of one Redis, named "default". */
  public static Builder builder(RedisConnection redis) {
    return new Builder("default", redis);
  }

  /**
   * Creates a builder for a dashboard of several Redis servers; {@code name} is that of the first.
   */
  public static Builder builder(String name, RedisConnection redis) {
    return new Builder(name, redis);
  }

  /** Returns the address of the start page. */
  public URI uri() {
    return uri;
  }

  /** Returns the size of the request bodies that are being received, in bytes. */
  long received() {
    return server.received();
  }

  /** Returns the size of the responses that clients have not read yet, in bytes. */
  long unsent() {
    return server.unsent();
  }

  /** Waits until the dashboard is closed. */
  public void join() throws InterruptedException {
    server.join();
  }

  /**
   * Stops the server and its jobs, and closes event streams. The connections to Redis stay open.
   */
  @Override
  public void close() {
    servlet.close();
    try {
      server.stop();
    } catch (Exception e) {
      log.warn("the dashboard did not stop cleanly", e);
    }
  }

  /** Settings of a dashboard. Not thread-safe. */
  public static final class Builder {

    private static final Pattern ROOT = Pattern.compile("(/[A-Za-z0-9._~-]+)*");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private final Map<String, RedisConnection> redis = new LinkedHashMap<>();
    private String host = "127.0.0.1";
    private int port = 8080;
    private String rootPath = "";
    private String title = "asynq";
    private boolean readOnly;
    private boolean metrics = true;
    private boolean metricsOnly;
    private Duration refresh = Duration.ofSeconds(2);
    private final ArchiveSettings archive = new ArchiveSettings();
    private final DashboardContents contents = new DashboardContents();
    private final DashboardAccess access = new DashboardAccess();
    private @Nullable TlsCertificate tls;

    private Builder(String name, RedisConnection redis) {
      redis(name, redis);
    }

    /** Adds a Redis. Users select it by its name. */
    public Builder redis(String name, RedisConnection connection) {
      require(
          NAME.matcher(name).matches(),
          "the name of a Redis must consist of 1 to 64 letters, digits and ._- characters: "
              + name);
      require(
          redis.put(name, Objects.requireNonNull(connection, "connection")) == null,
          "duplicate Redis name: " + name);
      return this;
    }

    /** Address to listen on. Others than loopback need authentication. Default: 127.0.0.1. */
    public Builder host(String address) {
      this.host = address;
      return this;
    }

    /** Port to listen on; 0 for any free port. Default: 8080. */
    public Builder port(int newPort) {
      require(newPort >= 0 && newPort <= 65_535, "port must be 0 to 65535, got " + newPort);
      this.port = newPort;
      return this;
    }

    /** Path prefix of all pages, such as {@code /tasks}. Default: none. */
    public Builder rootPath(String path) {
      String trimmed = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
      require(
          ROOT.matcher(trimmed).matches() && !trimmed.contains(".."),
          "invalid root path, expected a path such as /tasks: " + path);
      this.rootPath = trimmed;
      return this;
    }

    /** Serves HTTPS instead of HTTP. Default: HTTP. */
    public Builder tls(TlsCertificate certificate) {
      this.tls = Objects.requireNonNull(certificate, "certificate");
      return this;
    }

    /** Title of the pages. Default: asynq. */
    public Builder title(String newTitle) {
      this.title = newTitle;
      return this;
    }

    /** Rejects all changes, for every user. Default: false. */
    public Builder readOnly(boolean wanted) {
      this.readOnly = wanted;
      return this;
    }

    /** Whether {@code /metrics} is served. Default: true. */
    public Builder metrics(boolean wanted) {
      this.metrics = wanted;
      return this;
    }

    /** Serves only {@code /metrics}, including the metrics of this process, and {@code /health}. */
    public Builder metricsOnly() {
      this.metricsOnly = true;
      return this;
    }

    /** Interval at which Redis is polled while a page is open. Default: 2 seconds. */
    public Builder refresh(Duration interval) {
      require(
          interval.toMillis() >= 100 && interval.compareTo(Duration.ofMinutes(1)) <= 0,
          "refresh must be 100 ms to 1 minute, got " + interval);
      this.refresh = interval;
      return this;
    }

    /**
     * Limits of archives. Use the limits of the servers: a server deletes archived tasks beyond its
     * own limits.
     */
    public Builder archive(Consumer<ArchiveSettings> settings) {
      settings.accept(archive);
      return this;
    }

    /** Sets what is shown of tasks: {@code .contents(c -> c.redact("$..password"))}. */
    public Builder contents(Consumer<DashboardContents> settings) {
      settings.accept(contents);
      return this;
    }

    /** Sets who may use it: {@code .access(a -> a.credentials(…))}. Default: this machine. */
    public Builder access(Consumer<DashboardAccess> settings) {
      settings.accept(access);
      return this;
    }

    /**
     * Creates a servlet for another servlet container, which then determines address, port, root
     * path and TLS.
     */
    public DashboardServlet servlet() {
      if (metricsOnly && !metrics) {
        throw new IllegalStateException(
            "metricsOnly() serves only metrics, and metrics(false) disables them: remove one of the two settings");
      }
      return new DashboardServlet(settings());
    }

    private DashboardSettings settings() {
      return new DashboardSettings(
          redis,
          title,
          readOnly,
          metrics,
          metricsOnly,
          refresh,
          archive,
          contents.hidden,
          contents.redactions,
          contents.payloadFormatters,
          contents.resultFormatters,
          access.credentials,
          access.trustedProxy,
          access.authenticator,
          access.allowedHosts,
          access.proxies);
    }

    /**
     * Starts the dashboard with its own HTTP server, which listens when this method returns. It
     * needs {@code jetty-ee11-servlet} on the class path.
     */
    public Dashboard start() {
      requireJetty();
      if (!settings().hasAuthentication() && !isLoopback()) {
        throw new IllegalStateException(
            "the dashboard does not listen on "
                + host
                + " without authentication, because everyone on that network could read and change tasks;"
                + " set credentials(…) or trustedProxy(…) in access(…), or listen on 127.0.0.1");
      }
      if (access.credentials != null && tls == null && !isLoopback()) {
        log.warn(
            "the dashboard listens on {} without TLS, so passwords are sent unencrypted; set a certificate"
                + " with tls(…), or use a proxy with TLS",
            host);
      }
      return new Dashboard(this);
    }

    private static void requireJetty() {
      try {
        Class.forName(
            "org.eclipse.jetty.ee11.servlet.ServletHolder",
            /* initialize= */ false,
            Dashboard.class.getClassLoader());
      } catch (ClassNotFoundException e) {
        throw new IllegalStateException(
            "the dashboard cannot start its own HTTP server, because Jetty is not on the class path: add"
                + " org.eclipse.jetty.ee11:jetty-ee11-servlet, or mount servlet() in your own server",
            e);
      }
    }

    @SuppressWarnings("AddressSelection") // All addresses of a name would have to be loopback.
    private boolean isLoopback() {
      InetSocketAddress address = new InetSocketAddress(host, port);
      require(!address.isUnresolved(), "unknown address to listen on: " + host);
      return address.getAddress().isLoopbackAddress();
    }

    private static void require(boolean condition, String problem) {
      if (!condition) {
        throw new IllegalArgumentException(problem);
      }
    }
  }
}
