package io.asynq4j.benchmarks.compare;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Contenders of the comparison. Other libraries are downloaded and built when the comparison runs,
 * into the target directory; no module depends on them. A contender that cannot be installed is
 * skipped, with the reason.
 */
public final class ContenderInstaller {

  static final String GO = "go";
  public static final String GO_NAME = "Go asynq";
  static final String BULLMQ = "bullmq";
  static final String REDISSON = "redisson";
  static final String DB_SCHEDULER = "db-scheduler";
  static final String JOBRUNR = "jobrunr";

  /** In display order. */
  public static final List<String> PEERS = List.of(GO, BULLMQ, REDISSON, DB_SCHEDULER, JOBRUNR);

  private static final Set<String> ON_POSTGRES = Set.of(DB_SCHEDULER, JOBRUNR);
  private static final Map<String, String> JAVA_PEERS =
      Map.of(
          REDISSON, "RedissonContender",
          DB_SCHEDULER, "DbSchedulerContender",
          JOBRUNR, "JobRunrContender");

  private static final Duration LONGEST_INSTALLATION = Duration.ofMinutes(5);

  /**
   * A contender.
   *
   * @param command command that starts it, given the address of its store
   * @param keys keys of a queue in Redis that do not exist if it is empty; none if the contender
   *     reports it
   */
  public record Entrant(
      String key,
      String name,
      Function<String, List<String>> command,
      Function<String, List<String>> keys) {

    public boolean isOwn() {
      return key.startsWith("asynq4j");
    }

    boolean isGo() {
      return key.equals(GO);
    }

    /** Whether it handles tasks that asynq4j has enqueued. */
    boolean speaksAsynq() {
      return isOwn() || isGo();
    }

    public boolean isOnPostgres() {
      return ON_POSTGRES.contains(key);
    }
  }

  private final Path sources;
  private final Path target;
  private final List<Entrant> all = new ArrayList<>();
  private final Map<String, String> missing = new LinkedHashMap<>();

  private ContenderInstaller(Path root) throws IOException {
    this.sources = root.resolve("benchmarks").resolve("src").resolve("peers");
    this.target =
        Files.createDirectories(
            root.resolve("benchmarks").resolve("target").resolve("compare").toAbsolutePath());
  }

  /**
   * Installs all selected contenders that are available.
   *
   * @param newestJdk may be the JDK of this process
   */
  public static ContenderInstaller prepare(Set<String> peers, Path newestJdk) throws IOException {
    ContenderInstaller contenders = new ContenderInstaller(root());
    Path current = Path.of(System.getProperty("java.home"));
    contenders.own(current, Runtime.version().feature());
    int newest = version(newestJdk);
    if (newest != Runtime.version().feature()) {
      contenders.own(newestJdk, newest);
    } else {
      contenders.missing.put("asynq4j on a newer JDK", "no newer JDK found");
    }
    if (peers.contains(GO)) {
      contenders.go();
    }
    if (peers.contains(BULLMQ)) {
      contenders.node();
    }
    if (peers.stream().anyMatch(JAVA_PEERS::containsKey)) {
      contenders.java(peers, newestJdk);
    }
    return contenders;
  }

  /** Root of the sources: a parent directory of these classes or of the jar. */
  private static Path root() throws IOException {
    try {
      Path place =
          Path.of(
              ContenderInstaller.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      for (Path path = place; path != null; path = path.getParent()) {
        if (Files.isDirectory(path.resolve("benchmarks").resolve("src").resolve("peers"))) {
          return path;
        }
      }
    } catch (URISyntaxException e) {
      throw new IOException("cannot determine the location of this program", e);
    }
    throw new IOException(
        "the sources of the programs to compare with were not found: run ./asynq bench"
            + " compare in a checkout");
  }

  private static int version(Path jdk) {
    try (Stream<String> lines = Files.lines(jdk.resolve("release"))) {
      return lines
          .filter(line -> line.startsWith("JAVA_VERSION=\""))
          .map(line -> line.replaceAll("^JAVA_VERSION=\"(\\d+).*", "$1"))
          .mapToInt(Integer::parseInt)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return 0;
    }
  }

  public List<Entrant> all() {
    return List.copyOf(all);
  }

  /** Reasons why contenders are missing. */
  public Map<String, String> missing() {
    return Map.copyOf(missing);
  }

  /** Skips a contender from now on. */
  public void leaveOut(String who, String why) {
    missing.put(who, why);
    all.removeIf(entrant -> entrant.key().equals(who));
  }

  /** Directory for all files that a run leaves behind. */
  public Path target() {
    return target;
  }

  private void own(Path jdk, int version) {
    all.add(
        new Entrant(
            "asynq4j-" + version,
            "asynq4j, JDK " + version,
            uri ->
                List.of(
                    java(jdk),
                    "-cp",
                    System.getProperty("java.class.path"),
                    Asynq4jContender.class.getName(),
                    uri),
            ContenderInstaller::asynqKeys));
  }

  private static String java(Path jdk) {
    return jdk.resolve("bin").resolve("java").toString();
  }

  private static List<String> asynqKeys(String queue) {
    String prefix = "asynq:{" + queue + "}:";
    return List.of(prefix + "pending", prefix + "active", prefix + "lease");
  }

  private void go() throws IOException {
    Path program = target.resolve("go-contender");
    Path log = target.resolve("go-build.log");
    if (run(
        GO,
        sources.resolve("go"),
        log,
        Map.of("CGO_ENABLED", "0"),
        List.of("go", "build", "-mod=readonly", "-o", program.toString(), "."))) {
      all.add(
          new Entrant(
              GO, GO_NAME, uri -> List.of(program.toString(), uri), ContenderInstaller::asynqKeys));
    }
  }

  private void node() throws IOException {
    Path folder = Files.createDirectories(target.resolve("node"));
    for (String file : List.of("package.json", "package-lock.json", "contender.mjs")) {
      Files.copy(
          sources.resolve("node").resolve(file),
          folder.resolve(file),
          StandardCopyOption.REPLACE_EXISTING);
    }
    if (run(
        BULLMQ,
        folder,
        target.resolve("npm.log"),
        Map.of(),
        // Not "npm ci", which requires the packages of other systems in the lock file too.
        List.of("npm", "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"))) {
      all.add(
          new Entrant(
              BULLMQ,
              "BullMQ",
              uri -> List.of("node", folder.resolve("contender.mjs").toString(), uri),
              queue -> List.of("bull:" + queue + ":wait", "bull:" + queue + ":active")));
    }
  }

  private void java(Set<String> peers, Path jdk) throws IOException {
    Path libraries = target.resolve("lib");
    boolean fetched =
        run(
            "the peers in Java",
            sources,
            target.resolve("maven.log"),
            Map.of(),
            List.of(
                sources.resolve("../../../mvnw").normalize().toAbsolutePath().toString(),
                "-B",
                "-q",
                "dependency:copy-dependencies",
                "-DoutputDirectory=" + libraries));
    if (!fetched) {
      return;
    }
    String classPath =
        String.join(
            File.pathSeparator,
            target.resolve("classes").toString(),
            libraries + File.separator + "*",
            System.getProperty("java.class.path"));
    if (!compile(libraries)) {
      return;
    }
    for (String peer : PEERS) {
      String main = JAVA_PEERS.get(peer);
      if (main != null && peers.contains(peer)) {
        all.add(
            new Entrant(
                peer,
                switch (peer) {
                  case REDISSON -> "Redisson";
                  case JOBRUNR -> "JobRunr";
                  default -> peer;
                },
                uri ->
                    List.of(
                        java(jdk),
                        "-cp",
                        classPath,
                        // Disable update checks.
                        "-Dhttps.proxyHost=127.0.0.1",
                        "-Dhttps.proxyPort=9",
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                        "io.asynq4j.benchmarks.peers." + main,
                        uri),
                queue -> List.of()));
      }
    }
  }

  /** Compiled here and not by Maven, so that the build does not depend on the contenders. */
  private boolean compile(Path libraries) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      missing.put("the peers in Java", "this Java has no compiler: use a JDK");
      return false;
    }
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-nowarn",
                "-proc:none",
                "--release",
                "17",
                "-d",
                Files.createDirectories(target.resolve("classes")).toString(),
                "-cp",
                jars(libraries) + File.pathSeparator + System.getProperty("java.class.path")));
    try (Stream<Path> files = Files.walk(sources.resolve("java"))) {
      files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
    }
    if (compiler.run(null, System.err, System.err, arguments.toArray(String[]::new)) != 0) {
      missing.put("the peers in Java", "compilation failed: see above");
      return false;
    }
    return true;
  }

  /** The compiler API does not expand wildcards in the class path. */
  private static String jars(Path libraries) throws IOException {
    try (Stream<Path> jars = Files.list(libraries)) {
      return jars.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
  }

  /** Runs a program. If it is missing or fails, the contenders that need it are skipped. */
  private boolean run(
      String who, Path directory, Path log, Map<String, String> environment, List<String> command) {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      if (!process.waitFor(LONGEST_INSTALLATION.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        missing.put(who, command.get(0) + " timed out; see " + log);
      } else if (process.exitValue() != 0) {
        missing.put(who, command.get(0) + " failed; see " + log);
      } else {
        return true;
      }
    } catch (IOException e) {
      missing.put(who, command.get(0) + " is not installed");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException("interrupted", e));
    }
    return false;
  }
}
