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
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisProtocol;

/**
 * A real Redis as a child process of this JVM, for development and for tests: it listens on
 * 127.0.0.1 only and ends with the JVM, even if the JVM is killed. Thread safe.
 *
 * <pre>{@code
 * try (EmbeddedRedis redis = EmbeddedRedis.start()) {
 *   connect(redis.uri());
 * }
 * }</pre>
 */
public final class EmbeddedRedis implements AutoCloseable {

  static final String HOST = "127.0.0.1";

  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(20);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(2);
  private static final int FREE_PORT_ATTEMPTS = 20;

  private final ServerSettings settings;
  private final RedisBinary binary;
  private final RunDirectory runDirectory;
  private final Path dataDirectory;
  private final @Nullable DataDirectoryLock lock;
  private volatile int port;
  private volatile ServerProcess process;
  private volatile boolean closed;

  private EmbeddedRedis(ServerSettings settings) {
    if (Platform.current().isWindows()) {
      throw Platform.current().unsupported();
    }
    this.settings = settings;
    this.binary = settings.binary() == null ? RedisBinary.preferred() : settings.binary();
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
      this.process = startFirst();
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

  /** A server that is yet to be configured. */
  public static Builder builder() {
    return new Builder();
  }

  /** Always 127.0.0.1. */
  public String host() {
    return HOST;
  }

  /** The port, the same for the life of this object. */
  public int port() {
    return port;
  }

  /** What clients connect with: {@code redis://[:password@]127.0.0.1:port}. */
  public String uri() {
    return "redis://" + userInfo(settings.password()) + HOST + ":" + port;
  }

  /** The password that clients must give, if there is one. */
  public Optional<String> password() {
    return Optional.ofNullable(settings.password());
  }

  /** The process id of the server, or of the last one if none runs. */
  public long pid() {
    return process.pid();
  }

  /** Whether the process lives; also while it is paused. */
  public boolean isRunning() {
    return process.isAlive();
  }

  /** Where the server keeps its files; of an ephemeral server a directory that close() deletes. */
  public Path dataDirectory() {
    return dataDirectory;
  }

  /** Shuts the server down in order; does nothing if it does not run. */
  public synchronized void stop() {
    process.terminate(STOP_TIMEOUT);
  }

  /** Ends the server by SIGKILL, as a crash would. */
  public synchronized void kill() {
    process.kill();
  }

  /** Stops the process in its tracks by SIGSTOP: connections stay, answers do not come. */
  public synchronized void pause() {
    process.pause();
  }

  /** Lets a paused server go on. */
  public synchronized void resume() {
    process.resume();
  }

  /**
   * Starts the server anew on the same port and with the same data directory, after shutting it
   * down if it runs. An ephemeral server comes back empty.
   */
  public synchronized void restart() {
    if (closed) {
      throw new IllegalStateException("This Redis is closed");
    }
    stop();
    process = launch().orElseThrow(() -> StartFailure.portInUse(port));
  }

  /** Ends the server and deletes what is not in a data directory of the caller's. */
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

  Jedis connect() {
    return new Jedis(
        new HostAndPort(HOST, port),
        DefaultJedisClientConfig.builder()
            .protocol(RedisProtocol.RESP2)
            .password(settings.password())
            .timeoutMillis((int) STOP_TIMEOUT.toMillis())
            .build());
  }

  @SuppressWarnings("AddressSelection") // A literal address: nothing is resolved.
  static InetSocketAddress address(int port) {
    return new InetSocketAddress(HOST, port);
  }

  static String userInfo(@Nullable String password) {
    return password == null
        ? ""
        : ":" + URLEncoder.encode(password, StandardCharsets.UTF_8).replace("+", "%20") + "@";
  }

  private ServerProcess startFirst() {
    if (settings.port() != 0) {
      return startOn(settings.port()).orElseThrow(() -> StartFailure.portInUse(settings.port()));
    }
    for (int attempt = 1; attempt < FREE_PORT_ATTEMPTS; attempt++) {
      // Another process may take the port between the look and the start: then the next one.
      Optional<ServerProcess> started = startOn(FreePort.find(settings.isCluster()));
      if (started.isPresent()) {
        return started.get();
      }
    }
    throw new EmbeddedRedisException(
        "Each of " + FREE_PORT_ATTEMPTS + " ports that were free was taken before Redis had it");
  }

  private Optional<ServerProcess> startOn(int candidate) {
    port = candidate;
    runDirectory.writeConfigFile(settings.configFile(candidate, dataDirectory));
    return launch();
  }

  /** Empty if the port is in use. */
  private Optional<ServerProcess> launch() {
    Path log = runDirectory.newLog();
    List<String> command = new ArrayList<>();
    command.add(binary.executable().toString());
    command.add(runDirectory.configFile().toString());
    if (settings.sentinel()) {
      command.add("--sentinel");
    }
    ServerProcess started = ServerProcess.start(command, runDirectory.path(), log);
    boolean ready = false;
    try {
      ready = awaitReady(started);
      if (ready && lock != null) {
        lock.heldBy(started.pid());
      }
    } finally {
      if (!ready) {
        started.kill();
      }
    }
    if (ready) {
      return Optional.of(started);
    }
    StartFailure failure = new StartFailure(ServerProcess.tail(log));
    if (failure.isPortInUse()) {
      return Optional.empty();
    }
    throw failure.exception(binary, settings);
  }

  private boolean awaitReady(ServerProcess started) {
    String pid = Long.toString(started.pid());
    long deadline = System.nanoTime() + ANSWER_TIMEOUT.toNanos();
    while (started.isAlive() && System.nanoTime() - deadline < 0) {
      Optional<ServerInfo> info = ServerInfo.ask(port, settings.password());
      // The process id, since another Redis may answer on the port that this one failed to get.
      if (info.isPresent() && info.get().has("process_id", pid)) {
        if (!info.get().has("loading", "1")) {
          return true;
        }
        deadline = System.nanoTime() + ANSWER_TIMEOUT.toNanos();
      }
      Poll.pause(POLL_INTERVAL);
    }
    return false;
  }

  private void deleteFiles() {
    if (settings.unixSocket() != null) {
      try {
        Files.deleteIfExists(settings.unixSocket());
      } catch (IOException e) {
        // A socket that nobody listens on does no harm.
      }
    }
    runDirectory.delete();
  }

  /** Configures a server. Not thread safe. */
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

    /** The port; 0, the default, stands for any free one. */
    public Builder port(int port) {
      if (port < 0 || port > 65_535) {
        throw new IllegalArgumentException("Not a port: " + port);
      }
      this.port = port;
      return this;
    }

    /** The executable; by default the bundled one. */
    public Builder binary(RedisBinary binary) {
      this.binary = binary;
      return this;
    }

    /** Keeps nothing on disk, which is the default. */
    public Builder ephemeral() {
      this.dataDirectory = null;
      return this;
    }

    /** Keeps the data in this directory, in an append-only file that is synced every second. */
    public Builder dataDirectory(Path directory) {
      this.dataDirectory = directory.toAbsolutePath();
      return this;
    }

    /** When the append-only file is synced: {@code always}, {@code everysec} or {@code no}. */
    public Builder appendFsync(String policy) {
      if (!Set.of("always", "everysec", "no").contains(policy)) {
        throw new IllegalArgumentException("Not always, everysec or no: " + policy);
      }
      this.appendFsync = policy;
      return this;
    }

    /** The password that clients must give. */
    public Builder password(String password) {
      if (password.isEmpty()) {
        throw new IllegalArgumentException("The password is empty");
      }
      this.password = password;
      return secret(password);
    }

    /**
     * Any other line of {@code redis.conf}, for example {@code config("maxmemory", "64mb")}. The
     * value is written as it is: several words are several arguments.
     */
    public Builder config(String directive, String value) {
      if (OWN_DIRECTIVES.contains(directive.toLowerCase(Locale.ROOT))) {
        throw new IllegalArgumentException(
            "The directive " + directive + " is set by this builder's own methods");
      }
      if (directive.isBlank() || (directive + value).chars().anyMatch(c -> c < ' ')) {
        throw new IllegalArgumentException("Not a line of redis.conf: " + directive);
      }
      directives.add(new ServerSettings.Directive(directive, value));
      return this;
    }

    /** Listens on this socket of the file system as well. */
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

    /**
     * Starts the server and waits until it answers.
     *
     * @throws EmbeddedRedisException if it does not start
     */
    public EmbeddedRedis start() {
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
