package io.asynq4j.benchmarks.compare;

import io.asynq4j.benchmarks.compare.ComparisonResults.Score;
import io.asynq4j.benchmarks.compare.ComparisonResults.What;
import io.asynq4j.benchmarks.compare.ContenderInstaller.Entrant;
import io.asynq4j.benchmarks.compare.RunningContender.Ground;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Measurements that consist of waiting and need no CPU: all contenders wait at the same time. Not
 * thread-safe.
 */
public final class ConcurrentComparison {

  public static final String RECOVERY = "recovery";
  public static final String IDLE_COST = "idle-cost";

  public static final String RECOVERED = "recovery after SIGKILL";
  public static final String IDLE_COMMANDS = "idle worker, commands sent";
  public static final String IDLE_CPU = "idle worker, CPU";

  private static final int TASKS = 10;
  private static final Duration LOOK = Duration.ofMillis(20);
  private static final Duration STARTING = Duration.ofSeconds(30);
  private static final Duration LONGEST_RECOVERY = Duration.ofSeconds(200);

  private final Ground ground;
  private final List<Entrant> entrants;
  private final List<Integer> delays;
  private final boolean quick;
  private final ComparisonResults scores;
  private final Map<String, String> descriptions;
  private final BiConsumer<String, String> failures;
  private final Consumer<String> progress;

  /** The slowest recovery of asynq4j, in seconds. */
  private double slowestOwn;

  public ConcurrentComparison(
      Ground ground,
      List<Entrant> entrants,
      List<Integer> delays,
      boolean quick,
      ComparisonResults scores,
      Map<String, String> descriptions,
      BiConsumer<String, String> failures,
      Consumer<String> progress) {
    this.ground = ground;
    this.entrants = entrants;
    this.delays = delays;
    this.quick = quick;
    this.scores = scores;
    this.descriptions = descriptions;
    this.failures = failures;
    this.progress = progress;
  }

  private interface Waiting {
    void start(Entrant entrant, int delayMillis) throws InterruptedException;
  }

  /** With added delay, only contenders that have a threshold take part. */
  private void forAll(Waiting waiting) throws InterruptedException {
    for (int delay : delays) {
      for (Entrant entrant : entrants) {
        if (delay == 0 || entrant.speaksAsynq()) {
          try {
            waiting.start(entrant, delay);
          } catch (RuntimeException e) {
            if (entrant.isOwn()) {
              throw e;
            }
            failures.accept(entrant.name(), e.getMessage());
          }
        }
      }
    }
  }

  private record Idle(RunningContender entry, int delayMillis) {}

  /** Measures the cost of an idle worker. */
  public void idleCost(int rounds) throws InterruptedException {
    progress.accept("measuring idle workers, all at the same time");
    List<Idle> idle = new ArrayList<>();
    try {
      forAll(
          (entrant, delay) -> {
            RunningContender entry =
                RunningContender.startCounted(ground, entrant, delay, "idle-" + delay + "ms");
            try {
              entry.request("serving", "serve", "idle_" + (idle.size() + 1), 10);
            } catch (RuntimeException e) {
              entry.kill();
              entry.close();
              throw e;
            }
            descriptions.put(entry.name(), entry.process().description());
            idle.add(new Idle(entry, delay));
          });
      // Wait until startup, mainly JIT compilation, is over.
      Thread.sleep(quick ? 500 : 15_000);
      for (int round = 0; round < rounds; round++) {
        window(idle, Duration.ofMillis(quick ? 500 : 10_000));
      }
    } finally {
      idle.forEach(one -> one.entry().kill());
      idle.forEach(one -> one.entry().close());
    }
    ground.redis().clear();
  }

  private void window(List<Idle> idle, Duration length) throws InterruptedException {
    List<Double> commands = idle.stream().map(one -> one.entry().commands()).toList();
    List<Duration> cpu = idle.stream().map(one -> one.entry().process().cpu()).toList();
    long start = System.nanoTime();
    Thread.sleep(length.toMillis());
    double seconds = (System.nanoTime() - start) / 1e9;
    for (int i = 0; i < idle.size(); i++) {
      RunningContender entry = idle.get(i).entry();
      int delay = idle.get(i).delayMillis();
      double sent = (entry.commands() - commands.get(i)) / seconds;
      if (!Double.isNaN(sent)) {
        scores.add(
            new What(IDLE_COMMANDS, delay, "commands/s", /* more= */ false),
            entry.name(),
            Score.of(sent));
      }
      double used = entry.process().cpu().minus(cpu.get(i)).toNanos() / 1e9;
      scores.add(
          new What(IDLE_CPU, delay, "% of a core", /* more= */ false),
          entry.name(),
          Score.of(100 * used / seconds));
    }
  }

  /** Two workers of a queue, one of which holds tasks and is killed. */
  private static final class Pair implements AutoCloseable {
    private final RunningContender victim;
    private final RunningContender survivor;
    private final int delayMillis;
    private final int round;
    private long killed;
    private int taken;

    Pair(RunningContender victim, RunningContender survivor, int delayMillis, int round) {
      this.victim = victim;
      this.survivor = survivor;
      this.delayMillis = delayMillis;
      this.round = round;
    }

    @Override
    public void close() {
      // Handlers never return, so the process is killed.
      victim.kill();
      survivor.kill();
      victim.close();
      survivor.close();
    }
  }

  /** Measures how long the tasks of a killed worker wait until another worker starts them. */
  public void recovery(int rounds) throws InterruptedException {
    progress.accept("measuring recovery, all at the same time");
    List<Pair> pairs = new ArrayList<>();
    List<Pair> open = new ArrayList<>();
    try {
      forAll(
          (entrant, delay) -> {
            for (int round = 0; round < (delay == 0 ? rounds : 1); round++) {
              pairs.add(pair(entrant, delay, round, "recovery_" + (pairs.size() + 1)));
            }
          });
      // Staggered, so that a contender that polls once a minute is met at different times.
      Duration apart = quick ? Duration.ZERO : Duration.ofSeconds(20);
      long begin = System.nanoTime();
      open.addAll(pairs);
      while (!open.isEmpty()) {
        long now = System.nanoTime();
        for (Pair pair : List.copyOf(open)) {
          if (pair.killed == 0) {
            if (now - begin >= apart.toNanos() * pair.round) {
              pair.victim.kill();
              pair.killed = System.nanoTime();
            }
          } else if (look(pair, open)) {
            open.remove(pair);
          }
        }
        Thread.sleep(LOOK.toMillis());
      }
    } finally {
      pairs.forEach(Pair::close);
    }
    ground.redis().clear();
  }

  /** Records the time of a pair if all its tasks were started again, or if the wait is over. */
  private boolean look(Pair pair, List<Pair> open) {
    pair.taken += pair.survivor.process().unrequested();
    double seconds = (System.nanoTime() - pair.killed) / 1e9;
    Score score = null;
    if (pair.taken >= TASKS) {
      score = Score.of(seconds);
    } else if (isOver(seconds, open)) {
      score = Score.over(seconds);
    }
    if (score != null) {
      if (pair.survivor.entrant().isOwn()) {
        slowestOwn = Math.max(slowestOwn, seconds);
      }
      What what = new What(RECOVERED, pair.delayMillis, "s", /* more= */ false);
      scores.add(what, pair.survivor.name(), score);
      progress.accept(
          "%s, %s: %s%.2f s"
              .formatted(what, pair.survivor.name(), score.over() ? "over " : "", seconds));
    }
    return score != null;
  }

  /**
   * Whether the wait ends without a result. The quick form waits only for asynq4j, whose lease is
   * short there; others are known to be slower. Otherwise, the contenders without a threshold,
   * which take up to half an hour, get half of the time if the rest is done.
   */
  private boolean isOver(double seconds, List<Pair> open) {
    if (seconds > LONGEST_RECOVERY.toSeconds()) {
      return true;
    }
    return quick
        ? seconds > slowestOwn && open.stream().noneMatch(other -> other.survivor.entrant().isOwn())
        : seconds > LONGEST_RECOVERY.toSeconds() / 2.0
            && open.stream().noneMatch(other -> other.survivor.entrant().speaksAsynq());
  }

  private Pair pair(Entrant entrant, int delay, int round, String queue)
      throws InterruptedException {
    String role = "%dms-%d".formatted(delay, round + 1);
    String[] more = quick && entrant.isOwn() ? new String[] {"3000"} : new String[0];
    RunningContender victim =
        RunningContender.start(ground, entrant, delay, "victim-" + role, more);
    descriptions.put(victim.name(), victim.process().description());
    @Nullable RunningContender survivor = null;
    try {
      victim.request("serving", "hold", queue, TASKS);
      int lines = TASKS;
      if (entrant.speaksAsynq()) {
        victim.fill(queue, TASKS);
      } else {
        victim.process().send("fill", queue, TASKS);
        lines++;
      }
      long begin = System.nanoTime();
      for (int received = 0; received < lines; received += victim.process().unrequested()) {
        if (System.nanoTime() - begin > STARTING.toNanos()) {
          throw new IllegalStateException(entrant.name() + " did not start ten tasks");
        }
        Thread.sleep(LOOK.toMillis());
      }
      survivor = RunningContender.start(ground, entrant, delay, "survivor-" + role, more);
      survivor.request("serving", "hold", queue, TASKS);
      return new Pair(victim, survivor, delay, round);
    } catch (RuntimeException e) {
      victim.kill();
      victim.close();
      if (survivor != null) {
        survivor.kill();
        survivor.close();
      }
      throw e;
    }
  }
}
