package io.asynq4j.benchmarks.compare;

import io.asynq4j.benchmarks.compare.ComparisonResults.Score;
import io.asynq4j.benchmarks.compare.ComparisonResults.What;
import io.asynq4j.benchmarks.compare.ContenderInstaller.Entrant;
import io.asynq4j.benchmarks.compare.RunningContender.Ground;
import io.asynq4j.benchmarks.compare.RunningContender.Spent;
import io.asynq4j.benchmarks.harness.LatencyRecorder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Measurements that contenders run one after the other, each in one process for all rounds. The
 * speed of a machine changes within minutes, so alternating keeps the results comparable. Not
 * thread-safe.
 */
public final class SequentialComparison implements AutoCloseable {

  static final String DRAIN = "drain";
  static final String ENQUEUE = "enqueue";
  static final String PICK_UP = "idle-pickup";
  static final String DUE = "due";

  public static final List<String> TOPICS = List.of(DRAIN, ENQUEUE, PICK_UP, DUE);

  /** Topics with thresholds. */
  public static final String ONE = "enqueue, one producer";

  public static final String TEN = "enqueue, ten producers";
  public static final String BATCH = "enqueue, 1,000 at once";
  public static final String PICKED_UP = "idle pick-up, p50";
  public static final String ON_TIME = "lateness of due tasks, p50";
  static final String PRECISE = "lateness of precise tasks, p50";

  private static final String QUEUE = "compared";
  private static final int BATCH_SIZE = 1_000;
  private static final List<Integer> CONCURRENCIES = List.of(10, 100, 1000);

  /** Above this share of stolen time, a measurement is not meaningful. */
  private static final double MUCH_STOLEN = 0.05;

  /** Time limit, as a multiple of the duration of a measurement. */
  private static final double WARM_UP = 2.5;

  /** Topics in which the other contenders take part with added delay. */
  private static final int CONCURRENCY_FOR_ALL = 100;

  /**
   * Scale of the measurements.
   *
   * @param seconds approximate duration of each measurement
   * @param trials fractions of a measurement to run first, to estimate the number of tasks; empty
   *     to use the initial number
   * @param repeats how many times a disturbed rate is measured again
   */
  public record Sizes(
      int rounds,
      double seconds,
      List<Double> trials,
      int repeats,
      int firstTasks,
      int mostTasks,
      int pickUps,
      int pickUpMillis,
      int dueTasks,
      int dueLeadMillis,
      int dueSpanMillis) {

    public static Sizes full(int rounds, double seconds) {
      return new Sizes(
          rounds, seconds, List.of(0.5, 1.0), 1, 2_000, 250_000, 40, 8_000, 300, 2_000, 3_000);
    }

    public static Sizes quick() {
      return new Sizes(1, 0.1, List.of(), 0, 200, 1_000, 3, 1_000, 20, 500, 500);
    }

    private int tasks(double perSecond, double part) {
      return (int) Math.max(firstTasks, Math.min(mostTasks, perSecond * seconds * part));
    }
  }

  public static String drain(int concurrency) {
    return "drain, concurrency " + concurrency;
  }

  private final Sizes sizes;
  private final ComparisonResults scores;
  private final int delayMillis;
  private final Map<String, RunningContender> entries = new LinkedHashMap<>();
  private final BiConsumer<String, String> failures;
  private final Consumer<String> progress;

  /**
   * @param failures receives contenders that failed, and the reason
   */
  public SequentialComparison(
      Ground ground,
      List<Entrant> entrants,
      int delayMillis,
      Sizes sizes,
      ComparisonResults scores,
      BiConsumer<String, String> failures,
      Consumer<String> progress) {
    this.sizes = sizes;
    this.scores = scores;
    this.delayMillis = delayMillis;
    this.failures = failures;
    this.progress = progress;
    for (Entrant entrant : entrants) {
      try {
        RunningContender entry =
            RunningContender.start(ground, entrant, delayMillis, delayMillis + "ms");
        entries.put(entrant.key(), entry);
      } catch (RuntimeException e) {
        failures.accept(entrant.name(), e.getMessage());
      }
    }
  }

  /** Description of each contender. */
  public Map<String, String> descriptions() {
    Map<String, String> descriptions = new LinkedHashMap<>();
    entries.values().forEach(e -> descriptions.put(e.name(), e.process().description()));
    return descriptions;
  }

  public void run(Set<String> topics) {
    if (topics.contains(DRAIN) || topics.contains(ENQUEUE)) {
      warmUp();
    }
    if (topics.contains(DRAIN)) {
      for (int concurrency : CONCURRENCIES) {
        rates(
            new What(drain(concurrency), delayMillis, "tasks/s", /* more= */ true),
            concurrency == CONCURRENCY_FOR_ALL,
            (entry, tasks) -> drain(entry, concurrency, tasks));
      }
    }
    if (topics.contains(ENQUEUE)) {
      for (int producers : List.of(1, 10)) {
        rates(
            new What(producers == 1 ? ONE : TEN, delayMillis, "tasks/s", /* more= */ true),
            /* all= */ false,
            (entry, tasks) ->
                enqueue(entry, tasks, "enqueue", QUEUE, producers, tasks / producers * producers));
      }
      rates(
          new What(BATCH, delayMillis, "tasks/s", /* more= */ true),
          /* all= */ false,
          (entry, tasks) -> enqueue(entry, tasks, "batch", QUEUE, tasks, BATCH_SIZE));
    }
    if (topics.contains(PICK_UP)) {
      What what = new What(PICKED_UP, delayMillis, "ms", /* more= */ false);
      for (int round = 0; round < sizes.rounds(); round++) {
        int warmUpMillis = round == 0 ? sizes.pickUpMillis() / 4 : 100;
        each(
            what,
            round,
            /* all= */ false,
            entry ->
                times(entry, "pickup", QUEUE, sizes.pickUps(), sizes.pickUpMillis(), warmUpMillis));
      }
    }
    if (topics.contains(DUE)) {
      for (int round = 0; round < sizes.rounds(); round++) {
        each(
            new What(ON_TIME, delayMillis, "ms", /* more= */ false),
            round,
            /* all= */ false,
            entry -> times(entry, due()));
        each(
            new What(PRECISE, delayMillis, "ms", /* more= */ false),
            round,
            /* all= */ false,
            entry -> entry.entrant().isOwn() ? times(entry, precise()) : null);
      }
    }
  }

  /** A JVM compiles hot code for some seconds; services that enqueue run for longer. */
  private void warmUp() {
    What what = new What("warm-up", delayMillis, "tasks/s", /* more= */ true);
    for (Rated work :
        List.<Rated>of(
            (entry, tasks) -> enqueue(entry, tasks, "enqueue", QUEUE, 10, tasks / 10 * 10),
            (entry, tasks) -> drain(entry, CONCURRENCIES.get(0), tasks),
            (entry, tasks) -> drain(entry, CONCURRENCY_FOR_ALL, tasks))) {
      attempt(
          what,
          /* all= */ true,
          entry -> {
            int tasks = sizes.firstTasks();
            long end = System.nanoTime() + (long) (WARM_UP * sizes.seconds() * 1e9);
            while (System.nanoTime() < end) {
              tasks = sizes.tasks(work.measure(entry, tasks).value(), 0.5);
            }
          });
    }
  }

  private Object[] due() {
    return new Object[] {
      "due", QUEUE, sizes.dueTasks(), sizes.dueLeadMillis(), sizes.dueSpanMillis()
    };
  }

  private Object[] precise() {
    Object[] command = Arrays.copyOf(due(), 6);
    command[5] = "precise";
    return command;
  }

  private interface Rated {
    Score measure(RunningContender entry, int tasks);
  }

  /**
   * Estimates the number of tasks for the wanted duration, which also warms up, and measures in
   * rounds.
   */
  private void rates(What what, boolean all, Rated rated) {
    Map<String, Integer> tasks = new HashMap<>();
    for (double part : sizes.trials()) {
      attempt(
          what,
          all,
          entry -> {
            int before = tasks.getOrDefault(entry.name(), sizes.firstTasks());
            double perSecond = rated.measure(entry, before).value();
            tasks.put(entry.name(), sizes.tasks(perSecond, part));
          });
    }
    for (int round = 0; round < sizes.rounds(); round++) {
      each(
          what,
          round,
          all,
          entry ->
              leastDisturbed(
                  what,
                  entry,
                  () ->
                      rated.measure(entry, tasks.getOrDefault(entry.name(), sizes.firstTasks()))));
    }
  }

  /** Repeats a measurement with much stolen time, and keeps the one with the least. */
  private Score leastDisturbed(What what, RunningContender entry, Supplier<Score> measurement) {
    Score least = null;
    for (int i = 0; i <= sizes.repeats(); i++) {
      CpuStealTime before = CpuStealTime.now();
      Score score = measurement.get();
      score = score.withStolen(CpuStealTime.now().shareSince(before));
      if (least == null || score.stolen() < least.stolen()) {
        least = score;
      }
      if (score.stolen() <= MUCH_STOLEN) {
        break;
      }
      progress.accept(
          "%s, %s: %.2f %s, but %.0f %% of CPU time was stolen"
              .formatted(what, entry.name(), score.value(), what.unit(), 100 * score.stolen()));
    }
    return Objects.requireNonNull(least);
  }

  private interface Measured {
    @Nullable Score measure(RunningContender entry);
  }

  private void each(What what, int round, boolean all, Measured measured) {
    attempt(
        what,
        all,
        entry -> {
          Score score = measured.measure(entry);
          if (score != null) {
            scores.add(what, entry.name(), score);
            progress.accept(
                "%s, round %d, %s: %.2f %s"
                    .formatted(what, round + 1, entry.name(), score.value(), what.unit()));
          }
        });
  }

  /**
   * Runs a measurement for one contender after the other. A contender that fails is skipped from
   * then on.
   *
   * @param all whether all contenders take part despite added delay
   */
  private void attempt(What what, boolean all, Consumer<RunningContender> work) {
    for (RunningContender entry : List.copyOf(entries.values())) {
      if (delayMillis > 0 && !all && !entry.entrant().speaksAsynq()) {
        continue;
      }
      try {
        work.accept(entry);
      } catch (RuntimeException e) {
        if (entry.entrant().isOwn()) {
          throw e;
        }
        failures.accept(entry.name(), what + ": " + e.getMessage());
        entry.kill();
        entry.close();
        entries.remove(entry.entrant().key());
      }
    }
  }

  private static Score drain(RunningContender entry, int concurrency, int tasks) {
    entry.fill(QUEUE, tasks);
    Spent before = entry.spent();
    long start = System.nanoTime();
    entry.request("serving", "serve", QUEUE, concurrency);
    long nanos = entry.awaitDrained(QUEUE, tasks, start);
    Spent spent = entry.spent().since(before);
    entry.request("stopped", "stop");
    entry.clear();
    return rate(tasks, nanos, spent);
  }

  private static Score enqueue(RunningContender entry, int tasks, Object... command) {
    Spent before = entry.spent();
    long nanos = Long.parseLong(entry.request("took", command));
    Spent spent = entry.spent().since(before);
    entry.clear();
    return rate(tasks, nanos, spent);
  }

  private static Score rate(int tasks, long nanos, Spent spent) {
    return new Score(
        tasks * 1e9 / nanos,
        spent.cpuMicros() / (double) tasks,
        spent.storeMicros() / (double) tasks,
        Double.NaN,
        List.of(),
        /* over= */ false);
  }

  private static Score times(RunningContender entry, Object... command) {
    List<Long> times = new ArrayList<>();
    for (String time : entry.request("times", command).split(",", -1)) {
      times.add(Long.parseLong(time));
    }
    entry.clear();
    LatencyRecorder latencies = new LatencyRecorder();
    times.forEach(latencies::add);
    // Otherwise most of it would be the cost of startup and warm-up.
    return new Score(
        latencies.millis(0.5), Double.NaN, Double.NaN, Double.NaN, times, /* over= */ false);
  }

  @Override
  public void close() {
    entries.values().forEach(RunningContender::close);
  }
}
