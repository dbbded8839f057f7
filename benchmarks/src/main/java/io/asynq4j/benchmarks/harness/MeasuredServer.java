package io.asynq4j.benchmarks.harness;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.ServerListener;
import io.asynq4j.server.ServerState;
import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServerBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;

/** A server under measurement, with its own connection. */
public final class MeasuredServer implements AutoCloseable {

  public static final Handler<Task> NO_OP = (task, context) -> Outcome.done();

  private static final Duration STALLED = Duration.ofSeconds(60);

  private final RedisConnection redis;
  private final TaskServer server;

  private MeasuredServer(RedisConnection redis, TaskServer server) {
    this.redis = redis;
    this.server = server;
  }

  static MeasuredServer prepare(
      String uri,
      List<QueueName> queues,
      int concurrency,
      Handler<Task> handler,
      UnaryOperator<TaskServerBuilder> more) {
    RedisConnection redis = RedisConnection.open(uri);
    TaskServerBuilder builder =
        TaskServer.builder(redis).concurrency(concurrency).handlers(handler);
    queues.forEach(builder::queue);
    return new MeasuredServer(redis, more.apply(builder).build());
  }

  public static MeasuredServer start(
      String uri,
      List<QueueName> queues,
      int concurrency,
      Handler<Task> handler,
      UnaryOperator<TaskServerBuilder> more) {
    MeasuredServer served = prepare(uri, queues, concurrency, handler, more);
    served.server.start();
    return served;
  }

  /** Processes tasks with an empty handler, and returns the resource usage. */
  public static Measurement drain(
      BenchmarkRedis benchmarkRedis,
      String uri,
      List<QueueName> queues,
      int tasks,
      int concurrency) {
    return drain(benchmarkRedis, uri, queues, tasks, concurrency, NO_OP, server -> server);
  }

  /**
   * Measures from the start of a server until this many tasks have ended, every settlement is
   * confirmed and Redis has no data of them.
   */
  public static Measurement drain(
      BenchmarkRedis benchmarkRedis,
      String uri,
      List<QueueName> queues,
      int tasks,
      int concurrency,
      Handler<Task> handler,
      UnaryOperator<TaskServerBuilder> more) {
    Countdown ended = new Countdown(tasks);
    try (MeasuredServer served =
        prepare(
            uri,
            queues,
            concurrency,
            handler,
            builder -> more.apply(builder).listener(onCompleted(task -> ended.one())))) {
      ResourceUsage before = benchmarkRedis.usage();
      served.server.start();
      ended.await();
      ResourceUsage used = benchmarkRedis.usage().since(before);
      requireEmpty(benchmarkRedis, queues);
      return new Measurement(0, tasks, used);
    }
  }

  /** Is notified of every success that Redis has stored. */
  public static ServerListener onCompleted(Consumer<ServerListener.TaskRef> action) {
    return new ServerListener() {
      @Override
      public void settled(TaskRef task, Outcome outcome, Duration after) {
        if (outcome.kind() == Outcome.Kind.DONE) {
          action.accept(task);
        }
      }
    };
  }

  private static void requireEmpty(BenchmarkRedis benchmarkRedis, List<QueueName> queues) {
    try (Pipeline pipeline = benchmarkRedis.admin().pipelined()) {
      List<Response<Long>> found =
          queues.stream()
              .map(queue -> "asynq:{" + queue.value() + "}:")
              .map(
                  prefix ->
                      pipeline.exists(prefix + "pending", prefix + "active", prefix + "lease"))
              .toList();
      pipeline.sync();
      if (found.stream().anyMatch(response -> response.get() > 0)) {
        throw new IllegalStateException("Redis still has tasks after all were settled");
      }
    }
  }

  /** For callers that only need a running server. */
  public void requireRunning() {
    if (server.state() != ServerState.ACTIVE) {
      throw new IllegalStateException("the server is " + server.state());
    }
  }

  @Override
  public void close() {
    server.close();
    redis.close();
  }

  /** Waits for this many events, as long as there is progress. */
  public static final class Countdown {
    private final AtomicLong left;
    private final CountDownLatch done = new CountDownLatch(1);

    public Countdown(long count) {
      this.left = new AtomicLong(count);
    }

    public void one() {
      if (left.decrementAndGet() == 0) {
        done.countDown();
      }
    }

    public void await() {
      try {
        long before = left.get();
        while (!done.await(STALLED.toMillis(), TimeUnit.MILLISECONDS)) {
          if (left.get() == before) {
            throw new IllegalStateException(
                "%d tasks are left, and none has ended for %d s"
                    .formatted(before, STALLED.toSeconds()));
          }
          before = left.get();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }
}
