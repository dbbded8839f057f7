package io.asynq4j.faults;

import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.fixture.CapturedLogs;
import io.asynq4j.fixture.RecordingServerListener;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.ServerFixture;
import io.asynq4j.server.ServerState;
import io.asynq4j.server.TaskServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

/** A server when Redis becomes unavailable and available again. */
class ServerOutageIT {

  private static final QueueName Q = QueueName.DEFAULT;

  @TempDir private Path data;
  private EmbeddedRedis server;
  private RedisConnection redis;
  private final RecordingServerListener recorder = new RecordingServerListener();
  private final Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();

  @BeforeEach
  void start() {
    server = EmbeddedRedis.builder().dataDirectory(data).start();
    redis = RedisConnection.open(config(server.uri()));
  }

  @AfterEach
  void end() {
    redis.close();
    server.close();
  }

  /** A server that detects an outage soon. */
  private static RedisConfig config(String uri) {
    return RedisConfig.parse(uri).toBuilder()
        .commandTimeout(Duration.ofMillis(500))
        .retryFor(Duration.ofMillis(300))
        .build();
  }

  /** By a connection with a long timeout: a busy machine is no outage. */
  private void enqueue(int from, int count) {
    try (RedisConnection patient = RedisConnection.open(server.uri())) {
      BrokerConnection.brokerOf(patient).enqueueing().enqueue(tasks(from, count));
    }
  }

  private List<NewTask> tasks(int from, int count) {
    List<NewTask> tasks = new ArrayList<>();
    for (int i = from; i < from + count; i++) {
      String id = "a" + i;
      tasks.add(
          NewTask.of(
              Task.of("t"),
              TaskOptions.of(o -> o.id(id).retention(Duration.ofHours(1))),
              redis.clock().instant()));
    }
    return tasks;
  }

  private Handler<Task> counting() {
    return (task, context) -> {
      runs.computeIfAbsent(context.id(), any -> new AtomicInteger()).incrementAndGet();
      return Outcome.done();
    };
  }

  private long count(TaskState state) {
    return BrokerConnection.brokerOf(redis).tasks().list(Q, Listing.first(state, 1)).total();
  }

  private void awaitCompleted(int count) {
    soon(
        () -> {
          assertThat(count(TaskState.COMPLETED)).isEqualTo(count);
          assertThat(count(TaskState.ACTIVE)).isZero();
          assertThat(count(TaskState.PENDING)).isZero();
        });
  }

  @Test
  void groupCommitLosesNothingWhenRedisDiesInTheMiddle() {
    enqueue(0, 5_000);
    try (TaskServer running =
        ServerFixture.quick(redis, counting()).concurrency(50).listener(recorder).build()) {
      running.start();
      soon(() -> assertThat(runs).hasSizeGreaterThan(1_000));
      server.kill();
      server.restart();

      awaitCompleted(5_000);
    }
    assertThat(runs).hasSize(5_000);
    // Each ended once, even if something was sent twice.
    assertThat(BrokerConnection.brokerOf(redis).queues().snapshot(Q).processed()).isEqualTo(5_000);
    assertThat(recorder.lines("settled")).hasSize(5_000).doesNotHaveDuplicates();
  }

  @Test
  void groupCommitLosesNothingWhenRedisStandsStillForAWhile() throws Exception {
    enqueue(0, 3_000);
    try (TaskServer running =
        ServerFixture.quick(redis, counting()).concurrency(50).listener(recorder).build()) {
      running.start();
      soon(() -> assertThat(runs).hasSizeGreaterThan(500));
      server.pause();
      // Longer than a command waits, and than it is repeated.
      Thread.sleep(1_500);
      server.resume();

      awaitCompleted(3_000);
    }
    assertThat(runs).hasSize(3_000);
    assertThat(BrokerConnection.brokerOf(redis).queues().snapshot(Q).processed()).isEqualTo(3_000);
    assertThat(recorder.lines("outageStarted")).hasSize(1);
    assertThat(recorder.lines("outageEnded")).hasSize(1);
  }

  @Test
  void fixesW06_whatEndsDuringAnOutageIsSettledAfterItAndNotRunAgain() throws Exception {
    CountDownLatch running = new CountDownLatch(3);
    CountDownLatch release = new CountDownLatch(1);
    enqueue(0, 3);
    try (TaskServer started =
        ServerFixture.quick(
                redis,
                (task, context) -> {
                  counting().handle(task, context);
                  running.countDown();
                  release.await();
                  return Outcome.done();
                })
            .listener(recorder)
            .build()) {
      started.start();
      running.await();
      server.kill();
      release.countDown();
      soon(() -> assertThat(recorder.lines("finished")).hasSize(3));
      soon(() -> assertThat(recorder.lines("outageStarted")).hasSize(1));
      server.restart();

      awaitCompleted(3);
      assertThat(runs.values()).allSatisfy(count -> assertThat(count).hasValue(1));
      assertThat(recorder.lines("leaseLost")).isEmpty();
    }
  }

  @Test
  void fixesW24_anOutageIsLoggedOnceAndDoesNotMakeAServerSpin() throws Exception {
    try (CapturedLogs logs = new CapturedLogs();
        TaskServer running =
            ServerFixture.quick(redis, counting())
                .queue("default", 1)
                .queue("other", 1)
                .listener(recorder)
                .build()) {
      running.start();
      enqueue(0, 10);
      awaitCompleted(10);
      String before = logs.text();
      server.kill();
      soon(() -> assertThat(recorder.lines("outageStarted")).hasSize(1));
      // The outage lasts for a while, over which lines are counted.
      Thread.sleep(2_500);
      server.restart();
      soon(() -> assertThat(recorder.lines("outageEnded")).hasSize(1));
      enqueue(10, 10);
      awaitCompleted(20);
      // As long as the slowest actor waits before it tries again.
      Thread.sleep(2_200);

      assertThat(logs.linesWith("Redis cannot be reached")).hasSize(1);
      assertThat(logs.linesWith("Redis is reachable again")).hasSize(1);
      assertThat(recorder.lines("outage")).containsExactly("outageStarted", "outageEnded");
      assertThat(logs.text().substring(before.length()).lines().count()).isLessThan(20);
    }
  }

  @Test
  void aServerCanBeStartedWhileRedisIsDown() {
    server.kill();
    ConcurrentLinkedQueue<Boolean> health = new ConcurrentLinkedQueue<>();
    try (RedisConnection lazy = RedisConnection.lazy(config(server.uri()));
        TaskServer running =
            ServerFixture.quick(lazy, counting())
                .timing(
                    timing ->
                        timing.healthCheck(
                            Duration.ofMillis(100), error -> health.add(error == null)))
                .listener(recorder)
                .build()) {
      running.start();
      soon(() -> assertThat(recorder.lines("outageStarted")).hasSize(1));
      soon(() -> assertThat(health).contains(false).doesNotContain(true));
      server.restart();
      enqueue(0, 5);

      awaitCompleted(5);
      soon(() -> assertThat(health).contains(true));
      soon(
          () ->
              assertThat(BrokerConnection.brokerOf(redis).presence().seen(broken -> {}))
                  .hasSize(1));
    }
  }

  @Test
  void cancellationsAreHeardAfterAnOutageToo() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    server.kill();
    try (RedisConnection lazy = RedisConnection.lazy(config(server.uri()));
        TaskServer running =
            ServerFixture.quick(
                    lazy,
                    (task, context) -> {
                      begun.countDown();
                      try {
                        new CountDownLatch(1).await();
                      } finally {
                        interrupted.countDown();
                      }
                      return Outcome.done();
                    })
                .build()) {
      running.start();
      server.restart();
      enqueue(0, 1);
      begun.await();
      soon(
          () -> {
            BrokerConnection.brokerOf(redis).cancellations().publish("a0");
            assertThat(interrupted.getCount()).isZero();
          });
    }
  }

  @Test
  void aServerWhoseRedisNeverComesStopsInTime() {
    server.kill();
    try (RedisConnection lazy = RedisConnection.lazy(config(server.uri()))) {
      TaskServer running = ServerFixture.quick(lazy, counting()).listener(recorder).build();
      running.start();
      soon(() -> assertThat(recorder.lines("outageStarted")).hasSize(1));
      long start = System.nanoTime();
      running.stop();

      assertThat(running.state()).isEqualTo(ServerState.CLOSED);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
    }
  }

  @Test
  void redisMayComeAndGo() {
    enqueue(0, 400);
    try (TaskServer running =
        ServerFixture.quick(
                redis,
                (task, context) -> {
                  counting().handle(task, context);
                  // So that there is something to do for a while.
                  Thread.sleep(5);
                  return Outcome.done();
                })
            .build()) {
      running.start();
      for (int i = 1; i <= 3; i++) {
        int some = i * 100;
        soon(() -> assertThat(runs).hasSizeGreaterThan(some));
        server.kill();
        server.restart();
      }
      awaitCompleted(400);
    }
    assertThat(BrokerConnection.brokerOf(redis).queues().snapshot(Q).processed()).isEqualTo(400);
  }

  @Test
  void afterARedisThatCouldNotSaveLiveWorkersKeepTheirTasks() throws Exception {
    CountDownLatch finish = new CountDownLatch(1);
    Handler<Task> waiting =
        (task, context) -> {
          runs.computeIfAbsent(context.id(), any -> new AtomicInteger()).incrementAndGet();
          finish.await();
          return Outcome.done();
        };
    try (Jedis admin = new Jedis(server.host(), server.port());
        TaskServer busy = ServerFixture.quick(redis, waiting).listener(recorder).build();
        TaskServer idle =
            ServerFixture.quick(redis, waiting)
                .timing(timing -> timing.recoverInterval(Duration.ofMillis(100)))
                .listener(recorder)
                .build()) {
      admin.configSet("stop-writes-on-bgsave-error", "no");
      failToSave(admin);
      enqueue(0, 1);
      busy.start();
      soon(() -> assertThat(runs).hasSize(1));
      idle.start();
      soon(
          () ->
              assertThat(BrokerConnection.brokerOf(redis).presence().seen(broken -> {}))
                  .hasSize(2));

      admin.configSet("stop-writes-on-bgsave-error", "yes");
      double end = admin.zscore("asynq:{default}:lease", "a0");
      soon(() -> assertThat(Double.parseDouble(admin.time().get(0))).isGreaterThan(end + 1));
      admin.configSet("stop-writes-on-bgsave-error", "no");

      soon(
          () ->
              assertThat(admin.zscore("asynq:{default}:lease", "a0"))
                  .isNotNull()
                  .isNotEqualTo(end));
      assertThat(recorder.lines("recovered")).isEmpty();
      finish.countDown();
      awaitCompleted(1);
    }
    assertThat(recorder.lines("leaseLost")).isEmpty();
    assertThat(runs.get("a0")).hasValue(1);
  }

  /** A snapshot cannot take the place of a directory. */
  private void failToSave(Jedis admin) throws IOException {
    admin.configSet("save", "3600 1");
    Files.deleteIfExists(data.resolve("dump.rdb"));
    Files.createDirectory(data.resolve("dump.rdb"));
    admin.bgsave();
    soon(() -> assertThat(admin.info("persistence")).contains("rdb_last_bgsave_status:err"));
  }
}
