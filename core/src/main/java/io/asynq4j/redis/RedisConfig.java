package io.asynq4j.redis;

import static java.util.Objects.requireNonNull;

import io.asynq4j.codec.PayloadCodec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where Redis is and how to talk to it, made from a URI ({@link #parse}) or step by step ({@link
 * #builder}). Immutable and safe for use by many threads.
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
 * 500ms}, {@code 3s} or {@code PT3S}), {@code clientName}, {@code maxConnections}, and with TLS
 * {@code verifyHostname}, {@code trustStore}, {@code trustStorePassword}, {@code keyStore}, {@code
 * keyStorePassword}. Reserved characters in any part are percent-encoded; a plus sign is a plus.
 */
public final class RedisConfig {

  /** How Redis is deployed. */
  public enum Kind {
    /** One server, reached over TCP. */
    STANDALONE,
    /** One server on this machine, reached through a Unix domain socket. */
    SOCKET,
    /** A primary that is found by asking Redis Sentinel. */
    SENTINEL,
    /** Redis Cluster. */
    CLUSTER
  }

  /**
   * A host and a port that something listens on.
   *
   * @param host a name or an address, IPv6 without brackets
   * @param port 1 to 65535
   */
  public record Endpoint(String host, int port) {

    private static final Pattern NOT_IN_A_HOST = Pattern.compile("[\\s/@?#,\\[\\]]");

    public Endpoint {
      requireNonNull(host, "host");
      if (host.isBlank()) {
        throw new IllegalArgumentException("A host is missing: name one, such as localhost");
      }
      // Not quoted: a whole URI given as a host may hold a password.
      if (NOT_IN_A_HOST.matcher(host).find()) {
        throw new IllegalArgumentException(
            "The host must be a bare name or address without URI, port or brackets, such as"
                + " redis.example.com or ::1");
      }
      if (port < 1 || port > 65_535) {
        throw new IllegalArgumentException(
            "The port must be between 1 and 65535 but is " + port + "; Redis's usual one is 6379");
      }
    }

    @Override
    public String toString() {
      return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
    }
  }

  static final String SECRET = "***";

  // Sockets take their timeouts as a number of milliseconds in an int.
  private static final Duration MAX_DURATION = Duration.ofMillis(Integer.MAX_VALUE);

  private final Kind kind;
  private final List<Endpoint> endpoints;
  private final @Nullable Path socketPath;
  private final @Nullable String masterName;
  private final @Nullable String username;
  private final @Nullable String password;
  private final @Nullable String sentinelUsername;
  private final @Nullable String sentinelPassword;
  private final int database;
  private final @Nullable TlsConfig tls;
  private final Duration connectTimeout;
  private final Duration commandTimeout;
  private final Duration retryFor;
  private final boolean numberedEnqueue;
  private final int maxConnections;
  private final String clientName;
  private final PayloadCodec codec;

  private RedisConfig(Builder builder) {
    kind = builder.kind;
    endpoints = builder.endpoints;
    socketPath = builder.socketPath;
    masterName = builder.masterName;
    username = builder.username;
    password = builder.password;
    sentinelUsername = builder.sentinelUsername;
    sentinelPassword = builder.sentinelPassword;
    database = builder.database;
    tls = builder.tls;
    connectTimeout = builder.connectTimeout;
    commandTimeout = builder.commandTimeout;
    retryFor = builder.retryFor;
    numberedEnqueue = builder.numberedEnqueue;
    maxConnections = builder.maxConnections;
    clientName = builder.clientName;
    codec = builder.codec;

    requirePlace();
    requireNotEmpty("username", username);
    requireNotEmpty("password", password);
    requireNotEmpty("sentinel username", sentinelUsername);
    requireNotEmpty("sentinel password", sentinelPassword);
    require(
        kind == Kind.SENTINEL || (sentinelUsername == null && sentinelPassword == null),
        "Sentinel credentials are given but no sentinels: use username and password");
    require(
        database >= 0,
        "The database must be 0 or more but is " + database + ": Redis numbers them from 0");
    require(
        kind != Kind.CLUSTER || database == 0,
        "Redis Cluster has only database 0 but " + database + " is asked for: leave it out");
    require(
        kind != Kind.SOCKET || tls == null,
        "TLS is not possible on a Unix socket, which never leaves the machine: leave it out");
    requireTimeout("connectTimeout", connectTimeout);
    requireTimeout("commandTimeout", commandTimeout);
    require(
        !retryFor.isNegative() && retryFor.compareTo(MAX_DURATION) <= 0,
        "retryFor must be between 0 and 24 days but is " + retryFor + ": 0 is never to try again");
    require(
        maxConnections >= 1,
        "maxConnections must be 1 or more but is " + maxConnections + ": calls need a connection");
    require(
        !clientName.isEmpty() && clientName.chars().allMatch(c -> c > ' ' && c <= '~'),
        "The client name '"
            + clientName
            + "' is not one that Redis takes: use printable ASCII characters without spaces");
  }

  private void requirePlace() {
    switch (kind) {
      case STANDALONE ->
          require(
              endpoints.size() == 1,
              "A standalone Redis has one host but "
                  + endpoints
                  + " are given: use cluster or sentinel for several");
      case SOCKET ->
          require(
              socketPath != null && socketPath.getNameCount() > 0 && !isEmpty(socketPath),
              "The path of the socket is missing: give what Redis's setting unixsocket says");
      case SENTINEL -> {
        require(!endpoints.isEmpty(), "The sentinels are missing: name at least one");
        require(
            masterName != null && !masterName.isBlank(),
            "The master name is missing, without which sentinels cannot be asked: give the name"
                + " in 'sentinel monitor <name>' of their configuration");
      }
      case CLUSTER ->
          require(!endpoints.isEmpty(), "The hosts of the cluster are missing: name at least one");
    }
  }

  private static boolean isEmpty(Path path) {
    return path.toString().isEmpty();
  }

  private static void requireNotEmpty(String name, @Nullable String value) {
    require(value == null || !value.isEmpty(), "The " + name + " is empty: leave it out for none");
  }

  private static void requireTimeout(String name, Duration value) {
    require(
        value.compareTo(Duration.ofMillis(1)) >= 0 && value.compareTo(MAX_DURATION) <= 0,
        name + " must be between 1 ms and 24 days but is " + value + ": a usual one is 3 s");
  }

  static void require(boolean condition, String problem) {
    if (!condition) {
      throw new IllegalArgumentException(problem);
    }
  }

  /**
   * Reads a URI in one of the forms above.
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
          "Invalid Redis URI '"
              + RedisUri.masked(uri)
              + "': "
              + e.getMessage()
              + ". A correct one: "
              + RedisUri.example(uri));
    }
  }

  /** Begins with a Redis at localhost:6379 and default settings. */
  public static Builder builder() {
    return new Builder();
  }

  /** Begins with these settings. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** How Redis is deployed. */
  public Kind kind() {
    return kind;
  }

  /** The server, the sentinels or the first known nodes of the cluster; none for a Unix socket. */
  public List<Endpoint> endpoints() {
    return endpoints;
  }

  /** The path of the Unix socket. */
  public Optional<Path> socketPath() {
    return Optional.ofNullable(socketPath);
  }

  /** The name under which the sentinels watch the primary. */
  public Optional<String> masterName() {
    return Optional.ofNullable(masterName);
  }

  /** The user for the data; without one it is Redis's user {@code default}. */
  public Optional<String> username() {
    return Optional.ofNullable(username);
  }

  /** The password for the data. */
  public Optional<String> password() {
    return Optional.ofNullable(password);
  }

  /** The user for the sentinels. */
  public Optional<String> sentinelUsername() {
    return Optional.ofNullable(sentinelUsername);
  }

  /** The password for the sentinels. */
  public Optional<String> sentinelPassword() {
    return Optional.ofNullable(sentinelPassword);
  }

  /** The number of the database. */
  public int database() {
    return database;
  }

  /** How connections are encrypted; empty if they are not. */
  public Optional<TlsConfig> tls() {
    return Optional.ofNullable(tls);
  }

  /** How long opening a connection may take. */
  public Duration connectTimeout() {
    return connectTimeout;
  }

  /** How long a command may wait for its reply, and a caller for a free connection. */
  public Duration commandTimeout() {
    return commandTimeout;
  }

  /**
   * How long a call is tried again when Redis has certainly not applied it or can tell that it is a
   * repetition; zero for never.
   */
  public Duration retryFor() {
    return retryFor;
  }

  /**
   * Whether an enqueue carries a number, so that it is sent again when its answer was lost, and
   * still done once. Without, such an enqueue fails as one that may have been applied, and costs
   * Redis less; docs/explanation/performance.md says how much.
   */
  public boolean numberedEnqueue() {
    return numberedEnqueue;
  }

  /**
   * The largest number of connections to each node for calls. As many again may be opened for
   * extending leases and settling tasks.
   */
  public int maxConnections() {
    return maxConnections;
  }

  /** The name that {@code CLIENT LIST} shows for the connections. */
  public String clientName() {
    return clientName;
  }

  /**
   * How inputs and results become bytes, unless a client, a server or a scheduler says otherwise.
   */
  public PayloadCodec codec() {
    return codec;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RedisConfig that && state().equals(that.state());
  }

  @Override
  public int hashCode() {
    return state().hashCode();
  }

  private List<@Nullable Object> state() {
    return Arrays.asList(
        kind,
        endpoints,
        socketPath,
        masterName,
        username,
        password,
        sentinelUsername,
        sentinelPassword,
        database,
        tls,
        connectTimeout,
        commandTimeout,
        retryFor,
        numberedEnqueue,
        maxConnections,
        clientName,
        codec);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("RedisConfig[").append(kind);
    append(text, "endpoints", endpoints.isEmpty() ? null : endpoints);
    append(text, "socketPath", socketPath);
    append(text, "masterName", masterName);
    append(text, "username", username);
    append(text, "password", password == null ? null : SECRET);
    append(text, "sentinelUsername", sentinelUsername);
    append(text, "sentinelPassword", sentinelPassword == null ? null : SECRET);
    append(text, "database", database);
    append(text, "tls", tls);
    append(text, "connectTimeout", connectTimeout);
    append(text, "commandTimeout", commandTimeout);
    append(text, "retryFor", retryFor);
    append(text, "numberedEnqueue", numberedEnqueue);
    append(text, "maxConnections", maxConnections);
    append(text, "clientName", clientName);
    return text.append(']').toString();
  }

  private static void append(StringBuilder text, String name, @Nullable Object value) {
    if (value != null) {
      text.append(", ").append(name).append('=').append(value);
    }
  }

  /** Collects settings for a {@link RedisConfig}. Not safe for use by many threads at once. */
  public static final class Builder {

    private Kind kind = Kind.STANDALONE;
    private List<Endpoint> endpoints = List.of(new Endpoint("localhost", 6379));
    private @Nullable Path socketPath;
    private @Nullable String masterName;
    private @Nullable String username;
    private @Nullable String password;
    private @Nullable String sentinelUsername;
    private @Nullable String sentinelPassword;
    private int database;
    private @Nullable TlsConfig tls;
    private Duration connectTimeout = Duration.ofSeconds(5);
    private Duration commandTimeout = Duration.ofSeconds(3);
    private Duration retryFor = Duration.ofSeconds(2);
    private boolean numberedEnqueue = true;
    private int maxConnections = Math.max(16, 8 * Runtime.getRuntime().availableProcessors());
    private String clientName = "asynq4j";
    private PayloadCodec codec = PayloadCodec.json();

    private Builder() {}

    private Builder(RedisConfig config) {
      kind = config.kind;
      endpoints = config.endpoints;
      socketPath = config.socketPath;
      masterName = config.masterName;
      username = config.username;
      password = config.password;
      sentinelUsername = config.sentinelUsername;
      sentinelPassword = config.sentinelPassword;
      database = config.database;
      tls = config.tls;
      connectTimeout = config.connectTimeout;
      commandTimeout = config.commandTimeout;
      retryFor = config.retryFor;
      numberedEnqueue = config.numberedEnqueue;
      maxConnections = config.maxConnections;
      clientName = config.clientName;
      codec = config.codec;
    }

    /** One server, reached over TCP. */
    public Builder standalone(String host, int port) {
      return place(Kind.STANDALONE, List.of(new Endpoint(host, port)), null, null);
    }

    /** One server on this machine, reached through a Unix domain socket. */
    public Builder socket(Path path) {
      return place(Kind.SOCKET, List.of(), requireNonNull(path, "path"), null);
    }

    /** A primary that these sentinels know under this name. */
    public Builder sentinel(String masterName, Endpoint... sentinels) {
      requireNonNull(masterName, "masterName");
      return place(Kind.SENTINEL, List.of(sentinels), null, masterName);
    }

    /** The cluster that these nodes belong to; one that answers is enough to find the others. */
    public Builder cluster(Endpoint... nodes) {
      return place(Kind.CLUSTER, List.of(nodes), null, null);
    }

    private Builder place(
        Kind newKind,
        List<Endpoint> newEndpoints,
        @Nullable Path newSocketPath,
        @Nullable String newMasterName) {
      kind = newKind;
      endpoints = newEndpoints;
      socketPath = newSocketPath;
      masterName = newMasterName;
      return this;
    }

    /** The user for the data; null for Redis's user {@code default}. */
    public Builder username(@Nullable String username) {
      this.username = username;
      return this;
    }

    /** The password for the data; null for none. */
    public Builder password(@Nullable String password) {
      this.password = password;
      return this;
    }

    /** The user for the sentinels; null for {@code default}. */
    public Builder sentinelUsername(@Nullable String sentinelUsername) {
      this.sentinelUsername = sentinelUsername;
      return this;
    }

    /** The password for the sentinels; null for none. */
    public Builder sentinelPassword(@Nullable String sentinelPassword) {
      this.sentinelPassword = sentinelPassword;
      return this;
    }

    /** The number of the database; 0 unless set. */
    public Builder database(int database) {
      this.database = database;
      return this;
    }

    /** Encrypts the connections, those to sentinels too; null for plain text. */
    public Builder tls(@Nullable TlsConfig tls) {
      this.tls = tls;
      return this;
    }

    /** How long opening a connection may take; 5 s unless set. */
    public Builder connectTimeout(Duration connectTimeout) {
      this.connectTimeout = requireNonNull(connectTimeout, "connectTimeout");
      return this;
    }

    /** How long a command may wait for its reply or for a free connection; 3 s unless set. */
    public Builder commandTimeout(Duration commandTimeout) {
      this.commandTimeout = requireNonNull(commandTimeout, "commandTimeout");
      return this;
    }

    /** See {@link RedisConfig#numberedEnqueue}; true unless set. */
    public Builder numberedEnqueue(boolean numberedEnqueue) {
      this.numberedEnqueue = numberedEnqueue;
      return this;
    }

    /** See {@link RedisConfig#retryFor}; 2 s unless set, zero for never. */
    public Builder retryFor(Duration retryFor) {
      this.retryFor = requireNonNull(retryFor, "retryFor");
      return this;
    }

    /**
     * The largest number of connections to each node for calls; 8 per CPU and at least 16 unless
     * set. As many again may be opened for extending leases and settling tasks, which must not wait
     * for the others: up to twice this number per node and process.
     */
    public Builder maxConnections(int maxConnections) {
      this.maxConnections = maxConnections;
      return this;
    }

    /** The name that {@code CLIENT LIST} shows for the connections; {@code asynq4j} unless set. */
    public Builder clientName(String clientName) {
      this.clientName = requireNonNull(clientName, "clientName");
      return this;
    }

    /**
     * How inputs and results become bytes. Default: {@link PayloadCodec#json()}. Clients, servers
     * and schedulers on the connection use it unless their own builder sets another.
     */
    public Builder codec(PayloadCodec codec) {
      this.codec = requireNonNull(codec, "codec");
      return this;
    }

    /**
     * Checks the settings and puts them together.
     *
     * @throws IllegalArgumentException if they contradict each other or one is out of range
     */
    public RedisConfig build() {
      return new RedisConfig(this);
    }
  }
}
