package io.asynq4j.dashboard;

import io.asynq4j.ArchiveSettings;
import io.asynq4j.dashboard.internal.config.DashboardSettings;
import io.asynq4j.dashboard.internal.config.RedactionRule;
import io.asynq4j.http.IpNetwork;
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
import java.util.Set;
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
    private final ArchiveSettings archive = new ArchiveSettings();
    private final List<IpNetwork> proxies = new ArrayList<>();
    private @Nullable Credentials credentials;
    private @Nullable TrustedProxy trustedProxy;
    private @Nullable Authenticator authenticator;
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

    /** Hides a field of all tasks. Searches cannot use it either. */
    public Builder hide(HiddenField field) {
      hidden.add(field);
      return this;
    }

    /**
     * Redacts a path in JSON payloads and results, such as {@code $.card.number}, {@code
     * $.users[*].token} or {@code $..password}. Searches cannot use it either. Payloads and results
     * that are not JSON are hidden.
     */
    public Builder redact(String path) {
      return redact("*", path);
    }

    /**
     * Redacts a path for some task types only.
     *
     * @param type task type, in which {@code *} matches any characters
     */
    public Builder redact(String type, String path) {
      redactions.add(RedactionRule.of(type, path));
      return this;
    }

    /** Adds a formatter for payloads. The first formatter that returns a text is used. */
    public Builder payloadFormatter(PayloadFormatter formatter) {
      payloadFormatters.add(Objects.requireNonNull(formatter, "formatter"));
      return this;
    }

    /** Adds a formatter for results. The first formatter that returns a text is used. */
    public Builder resultFormatter(PayloadFormatter formatter) {
      resultFormatters.add(Objects.requireNonNull(formatter, "formatter"));
      return this;
    }

    /** Users and tokens that may log in. */
    public Builder credentials(Credentials newCredentials) {
      this.credentials = newCredentials;
      return this;
    }

    /**
     * Proxy that authenticates users. It also reports client addresses, as with {@link
     * #forwardedBy}. Can be set once.
     */
    public Builder trustedProxy(TrustedProxy proxy) {
      if (trustedProxy != null) {
        throw new IllegalArgumentException(
            "trustedProxy is set for %s and cannot be set for %s too: list all addresses in one TrustedProxy"
                .formatted(trustedProxy.addresses(), proxy.addresses()));
      }
      this.trustedProxy = proxy;
      proxies.addAll(proxy.networks());
      return this;
    }

    /**
     * Address or network of a reverse proxy, such as {@code 10.0.0.0/8}. The address of a client is
     * then taken from {@code X-Forwarded-For}. Without this setting, all clients behind a proxy
     * share one address, and failed logins of one client delay the others.
     */
    public Builder forwardedBy(String address) {
      proxies.add(IpNetwork.parse(address));
      return this;
    }

    /** Authenticates requests with a callback, for an application that embeds the servlet. */
    public Builder authenticator(Authenticator newAuthenticator) {
      this.authenticator = newAuthenticator;
      return this;
    }

    /**
     * Adds a host name, besides localhost, under which a dashboard without authentication accepts
     * requests from its own machine.
     */
    public Builder allowHost(String name) {
      allowedHosts.add(name.toLowerCase(Locale.ROOT));
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
      return new DashboardServlet(
          new DashboardSettings(
              redis,
              title,
              readOnly,
              metrics,
              metricsOnly,
              refresh,
              archive,
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

    /** Starts the dashboard with its own HTTP server, which listens when this method returns. */
    public Dashboard start() {
      boolean hasAuthentication =
          credentials != null || trustedProxy != null || authenticator != null;
      if (!hasAuthentication && !isLoopback()) {
        throw new IllegalStateException(
            "the dashboard does not listen on "
                + host
                + " without authentication, because everyone on that network could read and change tasks;"
                + " set credentials(…) or trustedProxy(…), or listen on 127.0.0.1");
      }
      if (credentials != null && tls == null && !isLoopback()) {
        log.warn(
            "the dashboard listens on {} without TLS, so passwords are sent unencrypted; set a certificate"
                + " with tls(…), or use a proxy with TLS",
            host);
      }
      return new Dashboard(this);
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
