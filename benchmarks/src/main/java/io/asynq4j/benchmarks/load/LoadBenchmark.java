package io.asynq4j.benchmarks.load;

import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.EnvironmentInfo;
import io.asynq4j.benchmarks.report.DocSection;
import io.asynq4j.benchmarks.report.LoadReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What all load programs share: their options, and how their findings are told. */
abstract class LoadBenchmark implements Callable<Integer> {

  private static final String NEWEST_JDK_PROPERTY = "asynq4j.newestJdk";

  @Spec private CommandSpec spec;

  @Option(
      names = "--redis",
      paramLabel = "URL",
      description =
          "An empty Redis to measure; it is emptied. Without it one is started: redis-server"
              + " from the PATH, else the bundled one.")
  private @Nullable String redis;

  @Option(names = "--quick", description = "Small sizes: whether it works, in a few seconds.")
  private boolean quick;

  @Option(names = "--json", description = "One JSON object, for programs.")
  private boolean json;

  @Option(
      names = "--into",
      paramLabel = "FILE",
      description =
          "Writes the tables into this document as well, between the lines '<!-- ${COMMAND-NAME} -->'"
              + " and '<!-- /${COMMAND-NAME} -->'.")
  private @Nullable Path document;

  // Filled in by picocli.
  @SuppressWarnings("NullAway.Init")
  LoadBenchmark() {}

  abstract void measure(BenchmarkRedis lab, LoadReport findings) throws Exception;

  @Override
  public Integer call() throws Exception {
    long start = System.nanoTime();
    @Nullable DocSection section = document == null ? null : DocSection.of(document, spec.name());
    LoadReport findings = new LoadReport(spec.name());
    Map<String, String> environment;
    try (BenchmarkRedis lab = BenchmarkRedis.open(redis)) {
      environment = EnvironmentInfo.of(lab);
      environment.put("command", command());
      try {
        measure(lab, findings);
      } finally {
        lab.clear();
      }
    }
    long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
    environment.put("took", seconds + " s" + (isFullSize() ? "" : ", not at full size"));
    spec.commandLine()
        .getOut()
        .println(json ? findings.json(environment) : findings.markdown(environment, isFullSize()));
    if (section != null) {
      section.replace(findings.markdown(environment, isFullSize()));
    }
    return isFullSize() && findings.hasMissed() ? 1 : 0;
  }

  /** As it was given, but for the passwords of a Redis. */
  private String command() {
    List<String> given = spec.root().commandLine().getParseResult().originalArgs();
    return "`./asynq bench " + withoutPasswords(String.join(" ", given)) + '`';
  }

  /** In a URL they stand before the host, and among the parameters. */
  static String withoutPasswords(String line) {
    return line.replaceAll("://[^@\\s]*@", "://***@")
        .replaceAll("(?i)(password=)[^&\\s]*", "$1***");
  }

  /** Bars say something only then. */
  boolean isFullSize() {
    return !quick;
  }

  boolean isQuick() {
    return quick;
  }

  /** Whether the Redis was given, and is not ours to configure. */
  boolean isGivenRedis() {
    return redis != null;
  }

  /** What goes on, for who waits. */
  void progress(String line) {
    spec.commandLine().getErr().println(line);
  }

  /** Set by the launcher; without it the one that this runs on. */
  static Path newestJdk() {
    Path current = Path.of(System.getProperty("java.home"));
    Path newest = Path.of(System.getProperty(NEWEST_JDK_PROPERTY, current.toString()));
    return Files.isExecutable(newest.resolve("bin").resolve("java")) ? newest : current;
  }

  int size(int full, int small) {
    return quick ? small : full;
  }
}
