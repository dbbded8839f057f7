package io.asynq4j.benchmarks.compare;

import io.asynq4j.QueueName;
import io.asynq4j.benchmarks.compare.ContenderInstaller.Entrant;
import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.BenchmarkTasks;
import io.asynq4j.benchmarks.harness.DelayProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A running contender: its process, its store and the connection, optionally with added delay. */
public final class RunningContender implements AutoCloseable {

  private static final Duration LONGEST = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofMillis(2);

  private final Entrant entrant;
  private final BenchmarkRedis redis;
  private final @Nullable PostgresServer postgres;
  private final @Nullable DelayProxy proxy;
  private final ContenderProcess process;

  private RunningContender(
      Entrant entrant,
      BenchmarkRedis redis,
      @Nullable PostgresServer postgres,
      @Nullable DelayProxy proxy,
      ContenderProcess process) {
    this.entrant = entrant;
    this.redis = redis;
    this.postgres = postgres;
    this.proxy = proxy;
    this.process = process;
  }

  /** Stores of a comparison, and the directory of logs. */
  public record Ground(BenchmarkRedis redis, @Nullable PostgresServer postgres, Path logs) {

    private String uri(Entrant entrant) {
      if (!entrant.isOnPostgres()) {
        return redis.uri();
      }
      if (postgres == null) {
        throw new IllegalStateException("no PostgreSQL for " + entrant.name());
      }
      return postgres.uri();
    }
  }

  /** Connects directly to the store, or through a proxy that adds a delay. */
  static RunningContender start(
      Ground ground, Entrant entrant, int delayMillis, String role, String... more) {
    return start(ground, entrant, Duration.ofMillis(delayMillis), delayMillis > 0, role, more);
  }

  /** Always connects through a proxy, which counts commands. */
  static RunningContender startCounted(
      Ground ground, Entrant entrant, int delayMillis, String role) {
    return start(ground, entrant, Duration.ofMillis(delayMillis), /* proxied= */ true, role);
  }

  private static RunningContender start(
      Ground ground,
      Entrant entrant,
      Duration delay,
      boolean proxied,
      String role,
      String... more) {
    String uri = ground.uri(entrant);
    DelayProxy proxy = proxied ? new DelayProxy(uri, delay) : null;
    try {
      List<String> command =
          new ArrayList<>(entrant.command().apply(proxy == null ? uri : proxy.uri()));
      command.addAll(List.of(more));
      Path log = ground.logs().resolve(entrant.key() + "-" + role);
      return new RunningContender(
          entrant,
          ground.redis(),
          entrant.isOnPostgres() ? ground.postgres() : null,
          proxy,
          ContenderProcess.start(entrant.name(), command, log));
    } catch (RuntimeException e) {
      if (proxy != null) {
        proxy.close();
      }
      throw e;
    }
  }

  Entrant entrant() {
    return entrant;
  }

  String name() {
    return entrant.name();
  }

  ContenderProcess process() {
    return process;
  }

  /** Number of commands sent, if a proxy counts them. */
  double commands() {
    return proxy == null || postgres != null ? Double.NaN : proxy.commands();
  }

  /** Sends a command and returns the answer. */
  String request(String answer, Object... command) {
    return process.request(answer, LONGEST, command);
  }

  /** Enqueues the same tasks for all contenders that support it; the others enqueue their own. */
  void fill(String queue, int tasks) {
    if (entrant.speaksAsynq()) {
      BenchmarkTasks.fill(redis, List.of(QueueName.of(queue)), tasks);
    } else {
      request("filled", "fill", queue, tasks);
    }
  }

  /** Deletes the data of the contender from its store. */
  void clear() {
    if (postgres == null) {
      redis.clear();
    } else {
      request("cleared", "clear");
    }
  }

  /** CPU time of the contender and its store. */
  record Spent(long cpuMicros, long storeMicros) {
    Spent since(Spent earlier) {
      return new Spent(cpuMicros - earlier.cpuMicros, storeMicros - earlier.storeMicros);
    }
  }

  Spent spent() {
    return new Spent(
        process.cpu().toNanos() / 1_000,
        postgres == null ? redis.usage().redisCpuMicros() : postgres.cpu().toNanos() / 1_000);
  }

  /**
   * Waits until all tasks have ended and are deleted, and returns how long that took.
   *
   * @param start when the worker was started; a contender that measures itself counts from its
   *     first task
   */
  long awaitDrained(String queue, int tasks, long start) {
    List<String> keys = entrant.keys().apply(queue);
    if (keys.isEmpty()) {
      return Long.parseLong(request("drained", "drained", queue, tasks));
    }
    while (redis.admin().exists(keys.toArray(String[]::new)) > 0) {
      if (System.nanoTime() - start > LONGEST.toNanos()) {
        throw new IllegalStateException(
            "%s left tasks after %d s".formatted(name(), LONGEST.toSeconds()));
      }
      LockSupport.parkNanos(LOOK.toNanos());
    }
    return System.nanoTime() - start;
  }

  void kill() {
    process.kill();
  }

  @Override
  public void close() {
    process.close();
    if (proxy != null) {
      proxy.close();
    }
  }
}
