package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.BenchmarkTasks;
import io.asynq4j.benchmarks.harness.ChildJvm;
import io.asynq4j.benchmarks.harness.ChildServer;
import io.asynq4j.benchmarks.harness.ResourceUsage;
import io.asynq4j.benchmarks.report.LoadReport;
import io.asynq4j.benchmarks.report.Threshold;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine.Command;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;

/** I: what happens to the tasks of a killed server. */
@Command(
    name = "recovery",
    description = "I: kill one of four server processes under load, and measure the recovery.")
final class RecoveryBenchmark extends LoadBenchmark {

  private static final int SERVERS = 4;
  private static final int CONCURRENCY = 25;
  private static final int WORK_MILLIS = 200;
  private static final Duration LONGEST = Duration.ofSeconds(60);

  /** Well after the handlers of the other servers have ended the tasks they ran at the kill. */
  private static final Duration SURVIVORS_DONE = Duration.ofSeconds(2);

  private static final Duration LOOK = Duration.ofMillis(10);

  /** Events of one task, as reported by the processes. */
  private record Runs(AtomicInteger started, AtomicInteger finished, AtomicInteger retries) {
    Runs() {
      this(new AtomicInteger(), new AtomicInteger(), new AtomicInteger());
    }
  }

  private final Map<String, Runs> runs = new ConcurrentHashMap<>();

  @Override
  void measure(BenchmarkRedis redis, LoadReport report) throws InterruptedException {
    QueueName queue = redis.newQueue();
    String prefix = "asynq:{" + queue.value() + "}:";
    int perSecond = SERVERS * CONCURRENCY * 1_000 / WORK_MILLIS;
    int tasks = perSecond * size(40, 5);
    BenchmarkTasks.fill(redis, List.of(queue), tasks);
    Duration lease = isQuick() ? Duration.ofSeconds(3) : ChildServer.DEFAULT_LEASE;
    List<ChildJvm> servers = new ArrayList<>();
    Duration cpu = Duration.ZERO;
    ResourceUsage before = redis.usage();
    ResourceUsage used;
    double seconds;
    int victims;
    try {
      for (int i = 0; i < SERVERS; i++) {
        ChildJvm server =
            ChildJvm.start(
                ChildServer.class,
                ChildServer.arguments(
                    redis.uri(), List.of(queue), CONCURRENCY, WORK_MILLIS, lease));
        servers.add(server);
        server.awaitLine("ready");
        Thread listener = new Thread(() -> listen(server.output()));
        listener.setDaemon(true);
        listener.start();
      }
      Thread.sleep(size(5_000, 1_000));
      cpu = cpu.plus(servers.get(0).cpu());
      servers.get(0).kill();
      long killed = System.nanoTime();
      Map<String, String> held =
          claims(redis, prefix, redis.admin().lrange(prefix + "active", 0, -1));
      Thread.sleep(SURVIVORS_DONE.toMillis());
      held.entrySet().retainAll(claims(redis, prefix, held.keySet()).entrySet());
      victims = held.size();
      while (!held.isEmpty() && System.nanoTime() - killed < LONGEST.toNanos()) {
        Thread.sleep(LOOK.toMillis());
        held.entrySet().retainAll(claims(redis, prefix, held.keySet()).entrySet());
      }
      if (!held.isEmpty()) {
        throw new IllegalStateException(
            held.size() + " tasks of the killed server are still active after " + LONGEST);
      }
      seconds = (System.nanoTime() - killed) / 1e9;
      awaitAll(tasks);
      used = redis.usage().since(before);
      for (ChildJvm server : servers.subList(1, SERVERS)) {
        cpu = cpu.plus(server.cpu());
      }
    } finally {
      servers.forEach(ChildJvm::close);
    }
    Collection<Runs> all = runs.values();
    long lost = tasks - all.stream().filter(run -> run.finished().get() > 0).count();
    long twice = all.stream().filter(run -> run.finished().get() > 1).count();
    long begun = all.stream().filter(run -> run.started().get() > 1).count();
    long retries = all.stream().mapToLong(run -> run.retries().get()).sum();
    report.table(
        "SIGKILL of one of four server processes, each with 25 tasks of 200 ms",
        List.of(
            "tasks",
            "tasks of the killed process",
            "s until the last of them is pending again",
            "started twice",
            "finished twice",
            "retries consumed",
            "lost",
            "Redis CPU µs/task",
            "JVM CPU µs/task, starts included"),
        List.of(
            List.of(
                tasks,
                victims,
                seconds,
                begun,
                twice,
                retries,
                lost,
                used.redisCpuMicros() / (double) tasks,
                cpu.toNanos() / 1e3 / tasks)));
    report.figure("victims", victims);
    report.figure("secondsToRecover", seconds);
    report.figure("finishedTwice", twice);
    report.figure("lost", lost);
    report.figure("retriesConsumed", retries);
    report.bar(
        Threshold.atMost(
            "recovery, s until the last task of the killed process is pending again", seconds, 20));
    report.bar(Threshold.atMost("recovery, lost tasks", (double) lost, 0));
    report.bar(Threshold.atMost("recovery, retries consumed", (double) retries, 0));
  }

  /** Claims on these tasks that are active. */
  private static Map<String, String> claims(
      BenchmarkRedis redis, String prefix, Collection<String> ids) {
    Map<String, Response<List<String>>> records = new HashMap<>();
    try (Pipeline pipeline = redis.admin().pipelined()) {
      ids.forEach(id -> records.put(id, pipeline.hmget(prefix + "t:" + id, "state", "claim")));
      pipeline.sync();
    }
    Map<String, String> claims = new HashMap<>();
    records.forEach(
        (id, response) -> {
          if ("active".equals(response.get().get(0)) && response.get().get(1) != null) {
            claims.put(id, response.get().get(1));
          }
        });
    return claims;
  }

  private void listen(BufferedReader output) {
    try {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        String[] words = line.split(" ", -1);
        if (Set.of("S", "F").contains(words[0]) && words.length > 1) {
          Runs run = runs.computeIfAbsent(words[1], id -> new Runs());
          if (words[0].equals("F")) {
            run.finished().incrementAndGet();
          } else {
            run.started().incrementAndGet();
            run.retries().accumulateAndGet(Integer.parseInt(words[2]), Math::max);
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the output of a server", e);
    }
  }

  private void awaitAll(int tasks) throws InterruptedException {
    long end = System.nanoTime() + LONGEST.toNanos();
    while (runs.values().stream().filter(run -> run.finished().get() > 0).count() < tasks
        && System.nanoTime() < end) {
      Thread.sleep(100);
    }
  }
}
