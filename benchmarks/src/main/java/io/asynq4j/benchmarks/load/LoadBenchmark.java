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

/** Base of all load programs: options and reports. */
abstract class LoadBenchmark implements Callable<Integer> {

  private static final String NEWEST_JDK_PROPERTY = "asynq4j.newestJdk";

  @Spec private CommandSpec spec;

  @Option(
      names = "--redis",
      paramLabel = "URL",
      description =
          "URL of an empty Redis to measure. Its data is deleted afterwards. Default: start"
              + " redis-server from the PATH, else the bundled Redis.")
  private @Nullable String redisUri;

  @Option(
      names = "--quick",
      description = "Use small sizes, to test in a few seconds whether the program works.")
  private boolean quick;

  @Option(names = "--json", description = "Print the report as one JSON object.")
  private boolean json;

  @Option(
      names = "--into",
      paramLabel = "FILE",
      description = {
        "Also write the tables into this document, between the lines",
        "'<!-- ${COMMAND-NAME} -->' and '<!-- /${COMMAND-NAME} -->'."
      })
  private @Nullable Path document;

  // Set by picocli.
  @SuppressWarnings("NullAway.Init")
  LoadBenchmark() {}

  abstract void measure(BenchmarkRedis redis, LoadReport report) throws Exception;

  @Override
  public Integer call() throws Exception {
    long start = System.nanoTime();
    @Nullable DocSection section = document == null ? null : DocSection.of(document, spec.name());
    LoadReport report = new LoadReport(spec.name());
    Map<String, String> environment;
    try (BenchmarkRedis redis = BenchmarkRedis.open(redisUri)) {
      environment = EnvironmentInfo.of(redis);
      environment.put("command", command());
      try {
        measure(redis, report);
      } finally {
        redis.clear();
      }
    }
    long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
    environment.put("took", seconds + " s" + (isFullSize() ? "" : ", not at full size"));
    spec.commandLine()
        .getOut()
        .println(json ? report.json(environment) : report.markdown(environment, isFullSize()));
    if (section != null) {
      section.replace(report.markdown(environment, isFullSize()));
    }
    return isFullSize() && report.hasMissed() ? 1 : 0;
  }

  /** The command line without Redis passwords. */
  private String command() {
    List<String> given = spec.root().commandLine().getParseResult().originalArgs();
    return "`./asynq bench " + withoutPasswords(String.join(" ", given)) + '`';
  }

  /** In a URL, passwords are before the host and in parameters. */
  static String withoutPasswords(String line) {
    return line.replaceAll("://[^@\\s]*@", "://***@")
        .replaceAll("(?i)(password=)[^&\\s]*", "$1***");
  }

  /** Thresholds are only meaningful at full size. */
  boolean isFullSize() {
    return !quick;
  }

  boolean isQuick() {
    return quick;
  }

  /** Whether the Redis was passed with --redis, so that it must not be reconfigured. */
  boolean isGivenRedis() {
    return redisUri != null;
  }

  /** Prints a progress message. */
  void progress(String line) {
    spec.commandLine().getErr().println(line);
  }

  /** Set by the launcher; by default the JDK of this process. */
  static Path newestJdk() {
    Path current = Path.of(System.getProperty("java.home"));
    Path newest = Path.of(System.getProperty(NEWEST_JDK_PROPERTY, current.toString()));
    return Files.isExecutable(newest.resolve("bin").resolve("java")) ? newest : current;
  }

  int size(int full, int small) {
    return quick ? small : full;
  }
}
