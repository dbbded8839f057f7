package io.asynq4j.benchmarks.load;

import io.asynq4j.benchmarks.compare.ComparisonResults;
import io.asynq4j.benchmarks.compare.ComparisonResults.What;
import io.asynq4j.benchmarks.compare.ConcurrentComparison;
import io.asynq4j.benchmarks.compare.ContenderInstaller;
import io.asynq4j.benchmarks.compare.ContenderInstaller.Entrant;
import io.asynq4j.benchmarks.compare.PostgresServer;
import io.asynq4j.benchmarks.compare.RunningContender.Ground;
import io.asynq4j.benchmarks.compare.SequentialComparison;
import io.asynq4j.benchmarks.compare.SequentialComparison.Sizes;
import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.report.LoadReport;
import io.asynq4j.benchmarks.report.Threshold;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Compares asynq4j with asynq for Go and other libraries, in the same run. */
@Command(
    name = "compare",
    description =
        "Compare with asynq for Go, BullMQ, Redisson, db-scheduler and JobRunr in the same run.",
    footer = {
      "",
      "Each library runs in its own process, configured as its documentation recommends, on the same",
      "Redis (db-scheduler and JobRunr: on a local PostgreSQL). The libraries take turns in rounds; each",
      "figure is the median of the rounds. A rate is measured again if other virtual machines on the same",
      "hardware took more than 5%% of the CPU time. Libraries are downloaded and built when the program",
      "runs. A library that cannot be installed is skipped, and the report states the reason."
    })
final class PeerComparisonBenchmark extends LoadBenchmark {

  private static final List<String> TOPICS =
      Stream.concat(
              SequentialComparison.TOPICS.stream(),
              Stream.of(ConcurrentComparison.RECOVERY, ConcurrentComparison.IDLE_COST))
          .toList();

  /** Wanted multiples of the results of Go, without added delay. */
  private static final Map<String, Double> WANTED = wanted();

  @Option(
      names = "--only",
      paramLabel = "TOPIC",
      split = ",",
      description =
          "Run only these topics, separated by commas: drain, enqueue, idle-pickup, due, recovery,"
              + " idle-cost. Default: all.")
  private Set<String> only = new LinkedHashSet<>(TOPICS);

  @Option(
      names = "--peers",
      paramLabel = "NAME",
      split = ",",
      description =
          "Compare only with these libraries, separated by commas: go, bullmq, redisson,"
              + " db-scheduler, jobrunr. Default: all.")
  private Set<String> peers = new LinkedHashSet<>(ContenderInstaller.PEERS);

  @Option(
      names = "--delays",
      paramLabel = "MS",
      split = ",",
      description =
          "Delays to add to every round trip, in milliseconds; one pass for each value. Default: 0,1.")
  private List<Integer> delays = List.of(0, 1);

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Number of rounds of each measurement. Default: 3.")
  private int rounds = 3;

  @Option(
      names = "--seconds",
      paramLabel = "SECONDS",
      description = "Approximate duration of the measurement of a rate, in seconds. Default: 2.")
  private double seconds = 2;

  private static Map<String, Double> wanted() {
    Map<String, Double> wanted = new LinkedHashMap<>();
    wanted.put(SequentialComparison.drain(10), 4.0);
    wanted.put(SequentialComparison.drain(100), 9.0);
    wanted.put(SequentialComparison.drain(1000), 12.0);
    wanted.put(SequentialComparison.ONE, 1.0);
    wanted.put(SequentialComparison.TEN, 1.8);
    wanted.put(SequentialComparison.BATCH, 1.8);
    wanted.put(SequentialComparison.PICKED_UP, 300.0);
    wanted.put(ConcurrentComparison.RECOVERED, 3.0);
    return wanted;
  }

  @Override
  boolean isFullSize() {
    return super.isFullSize() && rounds >= 3 && seconds >= 2;
  }

  @Override
  void measure(BenchmarkRedis redis, LoadReport report) throws Exception {
    require("topic", only, TOPICS);
    require("peer", peers, ContenderInstaller.PEERS);
    progress("downloading and building the other libraries");
    ContenderInstaller contenders = ContenderInstaller.prepare(peers, newestJdk());
    Path logs =
        Files.createDirectories(
            contenders
                .target()
                .resolve(
                    DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss")
                        .format(LocalDateTime.now(ZoneOffset.UTC))));
    @Nullable PostgresServer postgres = postgres(contenders, logs);
    try {
      compare(new Ground(redis, postgres, logs), contenders, report);
    } finally {
      if (postgres != null) {
        postgres.close();
      }
    }
  }

  private static void require(String what, Set<String> given, List<String> known) {
    for (String one : given) {
      if (!known.contains(one)) {
        throw new IllegalArgumentException(
            "unknown %s '%s'; the values are: %s".formatted(what, one, String.join(", ", known)));
      }
    }
  }

  /** Started only if a contender needs it. */
  private @Nullable PostgresServer postgres(ContenderInstaller contenders, Path logs) {
    List<Entrant> those = contenders.all().stream().filter(Entrant::isOnPostgres).toList();
    if (those.isEmpty()) {
      return null;
    }
    String why = "needs PostgreSQL: initdb not found; run 'apt-get install postgresql'";
    Optional<Path> programs = PostgresServer.programs();
    if (programs.isPresent()) {
      try {
        return PostgresServer.start(programs.get(), logs.resolve("postgres.log"));
      } catch (IOException e) {
        why = "needs PostgreSQL: " + e.getMessage();
      }
    }
    for (Entrant entrant : those) {
      contenders.leaveOut(entrant.key(), why);
    }
    return null;
  }

  private void compare(Ground ground, ContenderInstaller contenders, LoadReport report)
      throws InterruptedException {
    List<Entrant> entrants = contenders.all();
    Map<String, String> failures = new LinkedHashMap<>(contenders.missing());
    failures.forEach((who, why) -> progress("skipped: " + who + ": " + why));
    Map<String, String> descriptions = new LinkedHashMap<>();
    ComparisonResults scores = new ComparisonResults();
    Sizes sizes = isQuick() ? Sizes.quick() : Sizes.full(rounds, seconds);
    List<Integer> passes =
        SequentialComparison.TOPICS.stream().anyMatch(only::contains) ? delays : List.of();
    for (int delay : passes) {
      try (SequentialComparison heats =
          new SequentialComparison(
              ground,
              entrants,
              delay,
              sizes,
              scores,
              (who, why) -> failed(failures, who, why),
              this::progress)) {
        descriptions.putAll(heats.descriptions());
        heats.run(only);
      }
    }
    ConcurrentComparison vigils =
        new ConcurrentComparison(
            ground,
            entrants,
            delays,
            isQuick(),
            scores,
            descriptions,
            (who, why) -> failed(failures, who, why),
            this::progress);
    if (only.contains(ConcurrentComparison.IDLE_COST)) {
      vigils.idleCost(sizes.rounds());
    }
    if (only.contains(ConcurrentComparison.RECOVERY)) {
      vigils.recovery(sizes.rounds());
    }
    report(ground, entrants, scores, descriptions, failures, report);
  }

  private void failed(Map<String, String> failures, String who, String why) {
    failures.put(who, why);
    progress("failed and skipped from now on: " + who + ": " + why);
  }

  private static void report(
      Ground ground,
      List<Entrant> entrants,
      ComparisonResults scores,
      Map<String, String> descriptions,
      Map<String, String> failures,
      LoadReport report) {
    List<String> own = entrants.stream().filter(Entrant::isOwn).map(Entrant::name).toList();
    List<String> others = entrants.stream().filter(e -> !e.isOwn()).map(Entrant::name).toList();
    String newest = own.get(own.size() - 1);
    List<String> columns = new ArrayList<>(others);
    own.stream().filter(name -> !name.equals(newest)).forEach(columns::add);
    scores.ratios(report, "Times as good as the other libraries", newest, columns);
    scores.figures(report, "Measurements", ContenderInstaller.GO_NAME);
    List<List<Object>> setUps = new ArrayList<>();
    descriptions.forEach((who, how) -> setUps.add(List.of(who, how)));
    if (ground.postgres() != null) {
      setUps.add(List.of("PostgreSQL", PostgresServer.SETTINGS));
    }
    failures.forEach((who, why) -> setUps.add(List.of(who, "left out: " + why)));
    report.table("Versions and settings", List.of("library", "setup"), setUps);
    report.figure("logs", ground.logs().toString());
    for (What what : scores.topics()) {
      Map<String, Double> medians = new LinkedHashMap<>();
      for (Entrant entrant : entrants) {
        if (scores.has(what, entrant.name())) {
          medians.put(entrant.key(), scores.median(what, entrant.name()));
        }
      }
      report.figure(what.toString(), medians);
    }
    bars(scores, own, others, report);
  }

  private static void bars(
      ComparisonResults scores, List<String> own, List<String> others, LoadReport report) {
    for (What what : scores.topics()) {
      if (what.delayMillis() > 0) {
        continue;
      }
      Double wanted = WANTED.get(what.topic());
      if (wanted != null) {
        for (String name : own) {
          OptionalDouble ratio = scores.ratio(what, name, ContenderInstaller.GO_NAME);
          ratio.ifPresent(
              value ->
                  report.bar(
                      Threshold.atLeast(
                          "%s, %s, times Go's".formatted(what, name), value, wanted)));
        }
      }
    }
    String newest = own.get(own.size() - 1);
    for (What what : scores.topics()) {
      others.stream()
          .filter(
              other ->
                  !other.equals(ContenderInstaller.GO_NAME) && WANTED.containsKey(what.topic()))
          .filter(other -> what.delayMillis() == 0)
          .map(other -> scores.ratio(what, newest, other))
          .flatMapToDouble(OptionalDouble::stream)
          .min()
          .ifPresent(
              value ->
                  report.bar(
                      Threshold.atLeast(
                          "%s, %s, times the best of the others".formatted(what, newest),
                          value,
                          1)));
    }
  }
}
