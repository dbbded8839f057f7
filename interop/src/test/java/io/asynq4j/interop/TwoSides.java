package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskOptions;
import io.asynq4j.broker.EnqueueAnswer;
import io.asynq4j.broker.Inspection.QueueStats;
import io.asynq4j.broker.NewTask;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.interop.Peer.GoTask;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import redis.clients.jedis.Jedis;

/** One Redis with Go on one side of it and ours on the other. */
abstract class TwoSides {

  static final QueueName QUEUE = QueueName.of("shared");
  static final Duration HOUR = Duration.ofHours(1);

  /** Longer than the lease of either side, and the 30 seconds that Go waits beyond it. */
  private static final double LONG_AGO = 3600;

  private Peer peer;
  private EmbeddedRedis server;
  RedisConnection redis;

  /** Before each test, not before all: only so every one of them is reported as skipped. */
  @BeforeEach
  void start() {
    peer = Peer.orSkip();
    server = EmbeddedRedis.builder().ephemeral().start();
    redis = RedisConnection.open(server.uri());
  }

  @AfterEach
  void stop() {
    // They were never started where the tests are skipped.
    if (redis != null) {
      redis.close();
    }
    if (server != null) {
      server.close();
    }
  }

  Jedis jedis() {
    return new Jedis(server.host(), server.port());
  }

  Worker goWorker(String... flags) {
    return peer.work(server.uri(), QUEUE.value(), flags);
  }

  /** A worker of ours in a JVM of its own, which can be killed and stalled. */
  Worker javaWorker() {
    return Worker.start(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            JavaWorker.class.getName(),
            server.uri(),
            QUEUE.value()),
        Path.of("target", "go", "java-worker.log"));
  }

  /** A server of ours in this JVM, quick to notice. */
  TaskServer.Builder javaServer() {
    return TaskServer.builder(redis)
        .queue(QUEUE.value())
        .recoverInterval(Duration.ofMillis(100))
        .shutdownTimeout(Duration.ofSeconds(5));
  }

  List<Peer.Answer> goEnqueues(List<GoTask> tasks) {
    return peer.enqueue(server.uri(), tasks);
  }

  <T> List<T> goSees(Class<T> type, String... question) {
    return peer.inspect(server.uri(), type, question);
  }

  void goDoes(String... order) {
    peer.tell(server.uri(), order);
  }

  List<EnqueueAnswer> weEnqueue(List<GoTask> tasks) {
    Instant now = redis.clock().instant();
    return redis.broker().sink().enqueue(tasks.stream().map(task -> ours(task, now)).toList());
  }

  private static NewTask ours(GoTask task, Instant now) {
    TaskOptions.Builder options =
        TaskOptions.builder().queue(task.queue()).id(task.id()).maxRetry(task.maxRetry());
    if (!task.group().isEmpty()) {
      options.group(task.group());
    }
    if (task.timeout() != 0) {
      options.timeout(Duration.ofMillis(task.timeout()));
    }
    if (task.deadline() != 0) {
      options.deadline(Instant.ofEpochMilli(task.deadline()));
    }
    if (task.unique() != 0) {
      options.uniqueFor(Duration.ofMillis(task.unique()));
    }
    if (task.processIn() != 0) {
      options.processIn(Duration.ofMillis(task.processIn()));
    }
    if (task.retention() != 0) {
      options.retention(Duration.ofMillis(task.retention()));
    }
    return NewTask.of(
        Task.of(task.type(), task.bytes()).withHeaders(task.headers()), options.build(), now);
  }

  /** Lets the lease of a task end, as if an hour had passed: nobody waits for it here. */
  void ageLease(String id) {
    try (Jedis jedis = jedis()) {
      assertThat(jedis.zscore(key("lease"), id)).isNotNull();
      jedis.zincrby(key("lease"), -LONG_AGO, id);
    }
  }

  static String key(String part) {
    return "asynq:{" + QUEUE + "}:" + part;
  }

  TaskInfo task(String id) {
    return redis.broker().inspection().task(QUEUE, id);
  }

  QueueStats stats() {
    return redis.broker().inspection().stats(QUEUE);
  }

  /** Nothing is being worked on, and no lease was left behind. */
  void assertNothingIsActive() {
    try (Jedis jedis = jedis()) {
      assertThat(jedis.exists(key("active"), key("lease"))).isZero();
    }
  }

  static void soon(ThrowingRunnable assertion) {
    await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(assertion);
  }
}
