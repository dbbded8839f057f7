package io.asynq4j.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Starts processes of one server and waits until they answer. Not thread-safe. */
final class ServerLauncher {

  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(20);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(2);
  private static final int FREE_PORT_ATTEMPTS = 20;

  private final ServerSettings settings;
  private final RedisBinary binary;
  private final RunDirectory runDirectory;
  private final Path dataDirectory;
  private final @Nullable DataDirectoryLock lock;
  private int port;

  ServerLauncher(
      ServerSettings settings,
      RunDirectory runDirectory,
      Path dataDirectory,
      @Nullable DataDirectoryLock lock) {
    this.settings = settings;
    this.binary = settings.binary() == null ? RedisBinary.preferred() : settings.binary();
    this.runDirectory = runDirectory;
    this.dataDirectory = dataDirectory;
    this.lock = lock;
  }

  /** Returns the port of the last start. */
  int port() {
    return port;
  }

  /** Starts the server on the configured port, or on a free one. */
  ServerProcess start() {
    if (settings.port() != 0) {
      return startOn(settings.port()).orElseThrow(() -> StartFailure.portInUse(settings.port()));
    }
    for (int attempt = 1; attempt < FREE_PORT_ATTEMPTS; attempt++) {
      // Another process may take the port before the server does: then the next one is tried.
      Optional<ServerProcess> started = startOn(FreePort.find(settings.isCluster()));
      if (started.isPresent()) {
        return started.get();
      }
    }
    throw new EmbeddedRedisException(
        "Each of " + FREE_PORT_ATTEMPTS + " free ports was taken before Redis could use it");
  }

  /** Starts the server again, on the same port. */
  ServerProcess restart() {
    return launch().orElseThrow(() -> StartFailure.portInUse(port));
  }

  private Optional<ServerProcess> startOn(int candidate) {
    port = candidate;
    runDirectory.writeConfigFile(settings.configFile(candidate, dataDirectory));
    return launch();
  }

  /** Returns empty if the port is in use. */
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
    String processLine = "process_id:" + started.pid();
    long deadline = System.nanoTime() + ANSWER_TIMEOUT.toNanos();
    while (started.isAlive() && System.nanoTime() - deadline < 0) {
      Optional<ServerInfo> info = ServerInfo.ask(port, settings.password());
      // The process ID, since another Redis may answer on a port that this one failed to get.
      if (info.isPresent() && info.get().has(processLine)) {
        if (!info.get().has("loading:1")) {
          return true;
        }
        deadline = System.nanoTime() + ANSWER_TIMEOUT.toNanos();
      }
      Poll.pause(POLL_INTERVAL);
    }
    return false;
  }
}
