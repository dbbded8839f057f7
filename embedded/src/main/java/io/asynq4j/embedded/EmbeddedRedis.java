package io.asynq4j.embedded;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisProtocol;

/**
 * A real Redis as a child process of this JVM, for development and tests. It listens on 127.0.0.1
 * only and ends with the JVM, even if the JVM is killed. Thread-safe.
 *
 * <pre>{@code
 * try (EmbeddedRedis redis = EmbeddedRedis.start()) {
 *   connect(redis.uri());
 * }
 * }</pre>
 */
public final class EmbeddedRedis implements AutoCloseable {

  static final String HOST = "127.0.0.1";

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

  private final ServerSettings settings;
  private final RunDirectory runDirectory;
  private final Path dataDirectory;
  private final @Nullable DataDirectoryLock lock;
  private final ServerLauncher launcher;
  private final int port;
  private volatile ServerProcess process;
  private volatile boolean closed;

  private EmbeddedRedis(ServerSettings settings) {
    if (Platform.current().isWindows()) {
      throw Platform.current().unsupported();
    }
    this.settings = settings;
    Path kept = settings.dataDirectory();
    this.lock = kept == null ? null : DataDirectoryLock.acquire(kept);
    try {
      this.runDirectory = RunDirectory.create();
      this.dataDirectory = kept == null ? runDirectory.createDataDirectory() : kept;
    } catch (IOException e) {
      if (lock != null) {
        lock.close();
      }
      throw new EmbeddedRedisException("Cannot create a temporary directory for Redis", e);
    }
    try {
      this.launcher = new ServerLauncher(settings, runDirectory, dataDirectory, lock);
      this.process = launcher.start();
      this.port = launcher.port();
    } catch (RuntimeException e) {
      deleteFiles();
      if (lock != null) {
        lock.close();
      }
      throw e;
    }
  }

  /** Starts a server on a free port, without persistence and password. */
  public static EmbeddedRedis start() {
    return builder().start();
  }

  /** Returns a builder for a server. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns 127.0.0.1. */
  public String host() {
    return HOST;
  }

  /** Returns the port. It does not change, even if the server is restarted. */
  public int port() {
    return port;
  }

  /** Returns the URI for clients: {@code redis://[:password@]127.0.0.1:port}. */
  public String uri() {
    return "redis://" + userInfo(settings.password()) + HOST + ":" + port;
  }

  /** Returns the password that clients need, if there is one. */
  public Optional<String> password() {
    return Optional.ofNullable(settings.password());
  }

  /** Returns the ID of the process, or of the last one if the server does not run. */
  public long pid() {
    return process.pid();
  }

  /** Returns whether the process is alive, including while it is paused. */
  public boolean isRunning() {
    return process.isAlive();
  }

  /** Returns the data directory. {@link #close} deletes that of an ephemeral server. */
  public Path dataDirectory() {
    return dataDirectory;
  }

  /** Shuts the server down gracefully; does nothing if it does not run. */
  public synchronized void stop() {
    process.terminate(STOP_TIMEOUT);
  }

  /** Kills the server with SIGKILL, which simulates a crash. */
  public synchronized void kill() {
    process.kill();
  }

  /** Suspends the process with SIGSTOP: connections stay open, but get no answers. */
  public synchronized void pause() {
    process.pause();
  }

  /** Resumes a paused server. */
  public synchronized void resume() {
    process.resume();
  }

  /**
   * Restarts the server on the same port and with the same data directory. An ephemeral server is
   * empty afterwards.
   */
  public synchronized void restart() {
    if (closed) {
      throw new IllegalStateException("this Redis is closed; start a new one");
    }
    stop();
    process = launcher.restart();
  }

  /** Ends the server and deletes all its files, except in a data directory of the caller. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (settings.dataDirectory() == null) {
      kill();
    } else {
      stop();
    }
    deleteFiles();
    if (lock != null) {
      lock.close();
    }
  }

  @Override
  public String toString() {
    return "EmbeddedRedis[" + HOST + ":" + port + ", pid " + pid() + "]";
  }

  /** Returns whether the reply to INFO has all these lines, such as {@code role:master}. */
  boolean reports(String... lines) {
    return ServerInfo.ask(port, settings.password())
        .filter(info -> Stream.of(lines).allMatch(info::has))
        .isPresent();
  }

  Jedis connect() {
    return new Jedis(
        new HostAndPort(HOST, port),
        DefaultJedisClientConfig.builder()
            .protocol(RedisProtocol.RESP2)
            .password(settings.password())
            .timeoutMillis((int) STOP_TIMEOUT.toMillis())
            .build());
  }

  @SuppressWarnings("AddressSelection") // A literal address needs no name resolution.
  static InetSocketAddress address(int port) {
    return new InetSocketAddress(HOST, port);
  }

  static String userInfo(@Nullable String password) {
    return password == null
        ? ""
        : ":" + URLEncoder.encode(password, StandardCharsets.UTF_8).replace("+", "%20") + "@";
  }

  private void deleteFiles() {
    if (settings.unixSocket() != null) {
      try {
        Files.deleteIfExists(settings.unixSocket());
      } catch (IOException e) {
        // A stale socket file is harmless.
      }
    }
    runDirectory.delete();
  }

  /** Configures a server. Not thread-safe. */
  public static final class Builder {

    private static final Set<String> OWN_DIRECTIVES =
        Set.of(
            "bind",
            "port",
            "daemonize",
            "supervised",
            "logfile",
            "dir",
            "requirepass",
            "appendonly",
            "appendfsync",
            "unixsocket");

    private final List<ServerSettings.Directive> directives = new ArrayList<>();
    private final List<String> secrets = new ArrayList<>();
    private @Nullable RedisBinary binary;
    private int port;
    private @Nullable Path dataDirectory;
    private String appendFsync = "everysec";
    private @Nullable String password;
    private @Nullable Path unixSocket;
    private boolean sentinel;

    private Builder() {}

    /** Sets the port. Default: 0, any free port. */
    public Builder port(int port) {
      if (port < 0 || port > 65_535) {
        throw new IllegalArgumentException("port must be 0 to 65,535, got " + port);
      }
      this.port = port;
      return this;
    }

    /** Sets the executable. Default: the bundled one. */
    public Builder binary(RedisBinary binary) {
      this.binary = binary;
      return this;
    }

    /** Keeps nothing on disk. This is the default. */
    public Builder ephemeral() {
      this.dataDirectory = null;
      return this;
    }

    /** Keeps the data in this directory, in an append-only file that is synced every second. */
    public Builder dataDirectory(Path directory) {
      this.dataDirectory = directory.toAbsolutePath();
      return this;
    }

    /**
     * Sets when the append-only file is synced: {@code always}, {@code everysec} or {@code no}.
     * Default: {@code everysec}. {@code always} requires a {@link #dataDirectory}.
     */
    public Builder appendFsync(String policy) {
      if (!Set.of("always", "everysec", "no").contains(policy)) {
        throw new IllegalArgumentException(
            "appendFsync must be always, everysec or no, got " + policy);
      }
      this.appendFsync = policy;
      return this;
    }

    /** Sets the password that clients need. Default: none. */
    public Builder password(String password) {
      if (password.isEmpty()) {
        throw new IllegalArgumentException("password must not be empty; leave it out for none");
      }
      this.password = password;
      return secret(password);
    }

    /**
     * Adds a line to {@code redis.conf}, for example {@code config("maxmemory", "64mb")}. The value
     * is written unchanged: several words are several arguments.
     */
    public Builder config(String directive, String value) {
      if (OWN_DIRECTIVES.contains(directive.toLowerCase(Locale.ROOT))) {
        throw new IllegalArgumentException(
            "the directive " + directive + " is set by this builder; use its methods instead");
      }
      if (directive.isBlank() || (directive + value).chars().anyMatch(c -> c < ' ')) {
        // Without the value, which may be a secret.
        throw new IllegalArgumentException(
            "config must be one line of redis.conf, got directive \"" + directive + "\"");
      }
      directives.add(new ServerSettings.Directive(directive, value));
      return this;
    }

    /** Also listens on this Unix socket. */
    public Builder unixSocket(Path socket) {
      this.unixSocket = socket.toAbsolutePath();
      return this;
    }

    Builder secret(String secret) {
      secrets.add(secret);
      return this;
    }

    Builder sentinel() {
      this.sentinel = true;
      return this;
    }

    /** Sets what all nodes of a group share. Each may become a replica of another. */
    Builder inGroup(@Nullable RedisBinary groupBinary, @Nullable String groupPassword) {
      this.binary = groupBinary;
      if (groupPassword != null) {
        password(groupPassword).config("masterauth", RedisConfWriter.quote(groupPassword));
      }
      return config("repl-diskless-sync-delay", "0");
    }

    /**
     * Starts the server and waits until it answers.
     *
     * @throws EmbeddedRedisException if it does not start
     * @throws IllegalStateException if it shall sync always, but has no data directory
     */
    public EmbeddedRedis start() {
      if (dataDirectory == null && appendFsync.equals("always")) {
        throw new IllegalStateException(
            "appendFsync is always, but without dataDirectory(…) nothing is kept on disk: set both");
      }
      return new EmbeddedRedis(
          new ServerSettings(
              binary,
              port,
              dataDirectory,
              appendFsync,
              password,
              unixSocket,
              List.copyOf(directives),
              List.copyOf(secrets),
              sentinel));
    }
  }
}
