package io.asynq4j.redis;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static java.util.Objects.requireNonNull;

import io.asynq4j.codec.PayloadCodec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Address and settings of the connections to Redis, from a URI ({@link #parse}) or from a {@link
 * #builder}. Immutable and thread-safe.
 *
 * <p>Forms of the URI; {@code rediss}, {@code rediss-sentinel} and {@code rediss-cluster} are the
 * same with TLS:
 *
 * <pre>
 * redis://[user[:password]@]host[:port][/db]
 * redis-socket://[user[:password]@]/path[?db=n]
 * redis-sentinel://[user[:password]@]host[:port][,host[:port]…][/db]?master=name
 * redis-cluster://[user[:password]@]host[:port][,host[:port]…]
 * </pre>
 *
 * <p>In a sentinel URI, user and password before the hosts are for the sentinels; those for the
 * data are the parameters {@code username} and {@code password}. Further parameters, all optional:
 * {@code db}, {@code connectTimeout}, {@code commandTimeout}, {@code retryFor} (such as {@code
 * 500ms}, {@code 3s} or {@code PT3S}), {@code numberedEnqueue}, {@code clientName}, {@code
 * maxConnections}, and with TLS {@code verifyHostname}, {@code trustStore}, {@code
 * trustStorePassword}, {@code keyStore}, {@code keyStorePassword}. Reserved characters in any part
 * are percent-encoded; a plus sign is a plus.
 */
public final class RedisConfig {

  /** How Redis is deployed. */
  public enum Kind {
    /** One server, reached over TCP. */
    STANDALONE,
    /** One server on this machine, reached through a Unix domain socket. */
    SOCKET,
    /** A primary that Redis Sentinel monitors. */
    SENTINEL,
    /** Redis Cluster. */
    CLUSTER
  }

  /**
   * A host and a port.
   *
   * @param host a name or an address, IPv6 without brackets
   * @param port 1 to 65535
   */
  public record Endpoint(String host, int port) {

    private static final Pattern NOT_IN_A_HOST = Pattern.compile("[\\s/@?#,\\[\\]]");

    public Endpoint {
      requireNonNull(host, "host");
      require(!host.isBlank(), "A host is missing: set one, such as localhost");
      // Not quoted: a whole URI given as a host may contain a password.
      require(
          !NOT_IN_A_HOST.matcher(host).find(),
          "The host must be a bare name or address without URI, port or brackets, such as"
              + " redis.example.com or ::1");
      require(port >= 1 && port <= 65_535, "port must be 1 to 65535 (usually 6379), got " + port);
    }

    @Override
    public String toString() {
      return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
    }
  }

  private final RedisSettings settings;

  private RedisConfig(RedisSettings settings) {
    this.settings = settings;
  }

  /**
   * Parses a URI in one of the forms above.
   *
   * @throws IllegalArgumentException if it has another form; the message never shows a password
   */
  public static RedisConfig parse(String uri) {
    requireNonNull(uri, "uri");
    try {
      return RedisUri.read(uri).toConfig();
    } catch (IllegalArgumentException e) {
      // Without the cause, which may be a message of the JDK that quotes a part of the URI.
      throw new IllegalArgumentException(
          "Invalid Redis URI '%s': %s. A correct one: %s"
              .formatted(RedisUri.masked(uri), e.getMessage(), RedisUri.example(uri)));
    }
  }

  /** Returns a builder with a Redis at localhost:6379 and default settings. */
  public static Builder builder() {
    return new Builder(new RedisSettings());
  }

  /** Returns a builder with these settings. */
  public Builder toBuilder() {
    return new Builder(settings.copy());
  }

  /** How Redis is deployed. */
  public Kind kind() {
    return settings.kind;
  }

  /** The server, the sentinels or the first known nodes of the cluster; none for a Unix socket. */
  public List<Endpoint> endpoints() {
    return settings.endpoints;
  }

  /** The path of the Unix socket. */
  public Optional<Path> socketPath() {
    return Optional.ofNullable(settings.socketPath);
  }

  /** The name under which the sentinels monitor the primary. */
  public Optional<String> masterName() {
    return Optional.ofNullable(settings.masterName);
  }

  /** The user for the data; empty for the user {@code default} of Redis. */
  public Optional<String> username() {
    return Optional.ofNullable(settings.username);
  }

  /** The password for the data. */
  public Optional<String> password() {
    return Optional.ofNullable(settings.password);
  }

  /** The user for the sentinels. */
  public Optional<String> sentinelUsername() {
    return Optional.ofNullable(settings.sentinelUsername);
  }

  /** The password for the sentinels. */
  public Optional<String> sentinelPassword() {
    return Optional.ofNullable(settings.sentinelPassword);
  }

  /** The number of the database. */
  public int database() {
    return settings.database;
  }

  /** The encryption of the connections; empty for none. */
  public Optional<TlsConfig> tls() {
    return Optional.ofNullable(settings.tls);
  }

  /** Timeout for opening a connection. */
  public Duration connectTimeout() {
    return settings.connectTimeout;
  }

  /** Timeout for the reply to a command, and for a free connection. */
  public Duration commandTimeout() {
    return settings.commandTimeout;
  }

  /**
   * How long a failed call is retried if Redis has certainly not applied it or recognizes the
   * repetition; zero for never.
   */
  public Duration retryFor() {
    return settings.retryFor;
  }

  /**
   * Whether an enqueue carries a number, so that it is sent again when its reply was lost, and
   * still applied once. Without a number, it costs Redis less and fails as one that may have been
   * applied; docs/explanation/performance.md has the figures.
   */
  public boolean numberedEnqueue() {
    return settings.numberedEnqueue;
  }

  /**
   * Maximum number of connections to each node for calls. As many again may be opened for extending
   * leases and settling tasks.
   */
  public int maxConnections() {
    return settings.maxConnections;
  }

  /** The name of the connections in {@code CLIENT LIST}. */
  public String clientName() {
    return settings.clientName;
  }

  /** Encoding of inputs and results, unless a client, server, scheduler or leases set their own. */
  public PayloadCodec codec() {
    return settings.codec;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RedisConfig that && settings.values().equals(that.settings.values());
  }

  @Override
  public int hashCode() {
    return settings.values().hashCode();
  }

  /** Returns the settings, without passwords. */
  @Override
  public String toString() {
    return "RedisConfig" + settings;
  }

  /** Builder of a {@link RedisConfig}. Not thread-safe. */
  public static final class Builder {

    private final RedisSettings settings;

    private Builder(RedisSettings settings) {
      this.settings = settings;
    }

    /** One server, reached over TCP. */
    public Builder standalone(String host, int port) {
      return address(Kind.STANDALONE, List.of(new Endpoint(host, port)), null, null);
    }

    /** One server on this machine, reached through a Unix domain socket. */
    public Builder socket(Path path) {
      return address(Kind.SOCKET, List.of(), requireNonNull(path, "path"), null);
    }

    /** A primary that these sentinels monitor under this name. */
    public Builder sentinel(String masterName, Endpoint... sentinels) {
      requireNonNull(masterName, "masterName");
      return address(Kind.SENTINEL, List.of(sentinels), null, masterName);
    }

    /** The cluster of these nodes; one reachable node is enough to find the others. */
    public Builder cluster(Endpoint... nodes) {
      return address(Kind.CLUSTER, List.of(nodes), null, null);
    }

    private Builder address(
        Kind kind,
        List<Endpoint> endpoints,
        @Nullable Path socketPath,
        @Nullable String masterName) {
      settings.kind = kind;
      settings.endpoints = endpoints;
      settings.socketPath = socketPath;
      settings.masterName = masterName;
      return this;
    }

    /** The user for the data; null for the user {@code default} of Redis. */
    public Builder username(@Nullable String username) {
      settings.username = username;
      return this;
    }

    /** The password for the data; null for none. */
    public Builder password(@Nullable String password) {
      settings.password = password;
      return this;
    }

    /** The user for the sentinels; null for {@code default}. */
    public Builder sentinelUsername(@Nullable String sentinelUsername) {
      settings.sentinelUsername = sentinelUsername;
      return this;
    }

    /** The password for the sentinels; null for none. */
    public Builder sentinelPassword(@Nullable String sentinelPassword) {
      settings.sentinelPassword = sentinelPassword;
      return this;
    }

    /** The number of the database. Default: 0. */
    public Builder database(int database) {
      settings.database = database;
      return this;
    }

    /** Encrypts the connections, including those to sentinels; null for plain text. */
    public Builder tls(@Nullable TlsConfig tls) {
      settings.tls = tls;
      return this;
    }

    /** Timeout for opening a connection. Default: 5 s. */
    public Builder connectTimeout(Duration connectTimeout) {
      settings.connectTimeout = requireNonNull(connectTimeout, "connectTimeout");
      return this;
    }

    /** Timeout for the reply to a command, and for a free connection. Default: 3 s. */
    public Builder commandTimeout(Duration commandTimeout) {
      settings.commandTimeout = requireNonNull(commandTimeout, "commandTimeout");
      return this;
    }

    /** See {@link RedisConfig#numberedEnqueue}. Default: true. */
    public Builder numberedEnqueue(boolean numberedEnqueue) {
      settings.numberedEnqueue = numberedEnqueue;
      return this;
    }

    /** See {@link RedisConfig#retryFor}. Default: 2 s. */
    public Builder retryFor(Duration retryFor) {
      settings.retryFor = requireNonNull(retryFor, "retryFor");
      return this;
    }

    /**
     * Maximum number of connections to each node for calls. Default: 8 per CPU, at least 16. As
     * many again may be opened for extending leases and settling tasks, which must not wait for
     * other calls: up to twice this number per node and process.
     */
    public Builder maxConnections(int maxConnections) {
      settings.maxConnections = maxConnections;
      return this;
    }

    /** The name of the connections in {@code CLIENT LIST}. Default: {@code asynq4j}. */
    public Builder clientName(String clientName) {
      settings.clientName = requireNonNull(clientName, "clientName");
      return this;
    }

    /**
     * Encoding of inputs and results. Default: {@link PayloadCodec#json()}. Clients, servers,
     * schedulers and leases on the connection use it unless their own builder sets another.
     */
    public Builder codec(PayloadCodec codec) {
      settings.codec = requireNonNull(codec, "codec");
      return this;
    }

    /**
     * Checks the settings and returns the configuration.
     *
     * @throws IllegalArgumentException if they contradict each other or one is out of range
     */
    public RedisConfig build() {
      settings.check();
      return new RedisConfig(settings.copy());
    }
  }
}
