package io.asynq4j.benchmarks.compare;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A local PostgreSQL for contenders that need one. Like the Redis of the comparison it does not
 * wait for the disk, so it loses data in a crash.
 */
public final class PostgresServer implements AutoCloseable {

  public static final String SETTINGS =
      "fsync=off, synchronous_commit=off, full_page_writes=off, shared_buffers=512MB,"
          + " max_connections=250";

  /** PostgreSQL refuses to run as root. */
  private static final String NOBODY = "65534";

  private static final Duration STARTING = Duration.ofSeconds(30);

  private final Path directory;
  private final Process process;
  private final int port;

  private PostgresServer(Path directory, Process process, int port) {
    this.directory = directory;
    this.process = process;
    this.port = port;
  }

  /** Directory of its programs: on the PATH, or of the newest Debian package. */
  public static Optional<Path> programs() {
    List<Path> places = new ArrayList<>();
    for (String place : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      places.add(Path.of(place));
    }
    Path debian = Path.of("/usr/lib/postgresql");
    if (Files.isDirectory(debian)) {
      try (Stream<Path> versions = Files.list(debian)) {
        versions
            .sorted(Comparator.reverseOrder())
            .map(version -> version.resolve("bin"))
            .forEach(places::add);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot list " + debian, e);
      }
    }
    return places.stream()
        .filter(place -> Files.isExecutable(place.resolve("initdb")))
        .filter(place -> Files.isExecutable(place.resolve("postgres")))
        .findFirst();
  }

  public static PostgresServer start(Path programs, Path log) throws IOException {
    Path directory =
        Files.createTempDirectory(
            "asynq4j-postgres-",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    // The user it runs as must be able to write here.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path data = directory.resolve("data");
    Process initialised =
        run(
            log,
            programs.resolve("initdb").toString(),
            "--pgdata=" + data,
            "--auth=trust",
            "--username=postgres",
            "--no-sync");
    int port = freePort();
    try {
      if (!initialised.waitFor(STARTING.toSeconds(), TimeUnit.SECONDS)
          || initialised.exitValue() != 0) {
        throw new IOException("initdb failed; see " + log);
      }
      List<String> command =
          new ArrayList<>(
              List.of(
                  programs.resolve("postgres").toString(),
                  "-D",
                  data.toString(),
                  "-p",
                  Integer.toString(port),
                  "-k",
                  directory.toString(),
                  "-h",
                  "127.0.0.1"));
      for (String setting : SETTINGS.split(", ", -1)) {
        command.addAll(List.of("-c", setting));
      }
      PostgresServer postgres =
          new PostgresServer(directory, run(log, command.toArray(String[]::new)), port);
      // Stops PostgreSQL when this program exits.
      Runtime.getRuntime().addShutdownHook(new Thread(postgres::end));
      postgres.awaitReady(log);
      return postgres;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static Process run(Path log, String... command) throws IOException {
    List<String> all = new ArrayList<>();
    if ("root".equals(System.getProperty("user.name"))) {
      all.addAll(
          List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "--"));
    }
    all.addAll(List.of(command));
    return new ProcessBuilder(all)
        .directory(new File("/"))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void awaitReady(Path log) throws IOException, InterruptedException {
    long end = System.nanoTime() + STARTING.toNanos();
    while (true) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        if (socket.isConnected()) {
          // It accepts connections before it is ready; clients retry.
          Thread.sleep(500);
          return;
        }
      } catch (IOException e) {
        if (System.nanoTime() > end || !process.isAlive()) {
          close();
          throw new IOException("PostgreSQL did not start; see " + log, e);
        }
        Thread.sleep(50);
      }
    }
  }

  /** Address, also for a proxy. */
  String uri() {
    return "postgresql://127.0.0.1:" + port;
  }

  /** CPU time of the server and its live child processes. */
  Duration cpu() {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants())
        .map(handle -> handle.info().totalCpuDuration().orElse(Duration.ZERO))
        .reduce(Duration.ZERO, Duration::plus);
  }

  private void end() {
    // TERM would wait for clients, which are no longer needed.
    process.descendants().forEach(ProcessHandle::destroy);
    process.destroy();
  }

  @Override
  public void close() {
    try {
      end();
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
      }
      try (Stream<Path> files = Files.walk(directory)) {
        files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + directory, e);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
