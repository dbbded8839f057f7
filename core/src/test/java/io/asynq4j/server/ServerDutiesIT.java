package io.asynq4j.server;

import static io.asynq4j.server.ServerFixture.Q;
import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.QueueName;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.CapturedLogs;
import io.asynq4j.fixture.RecordingServerListener;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.rules.QueueRules;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

/** What a server does besides processing: leases, presence and duties. */
class ServerDutiesIT {

  private static final QueueName OTHER = QueueName.of("other");

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  private final RecordingServerListener recorder = new RecordingServerListener();
  private final CountDownLatch release = new CountDownLatch(1);

  private TaskServerBuilder blocked() {
    return world
        .quick(
            (task, context) -> {
              release.await();
              return Outcome.done();
            })
        .listener(recorder);
  }

  private static double lease(String queue, String id) {
    try (Jedis jedis = world.jedis()) {
      Double score = jedis.zscore("asynq:{" + queue + "}:lease", id);
      return score == null ? 0 : score;
    }
  }

  @Test
  void aServerAndItsWorkersCanBeSeenWhileItRuns() {
    world.enqueue("a", options -> options.timeout(Duration.ofSeconds(100)));
    Instant before = world.redis.clock().instant();
    TaskServer server =
        world.start(
            blocked().queue("default", 6).queue("other", 1).queues(q -> q.strictPriority()));

    soon(() -> assertThat(world.broker().presence().workers(broken -> {})).hasSize(1));
    Presence.Server shown = world.broker().presence().seen(broken -> {}).get(0).server();
    assertThat(shown.serverId()).isEqualTo(server.id());
    assertThat(shown.pid()).isEqualTo((int) ProcessHandle.current().pid());
    assertThat(shown.host()).isNotBlank();
    assertThat(shown.concurrency()).isEqualTo(4);
    assertThat(shown.queues()).containsOnly(Map.entry("default", 6), Map.entry("other", 1));
    assertThat(shown.strictPriority()).isTrue();
    assertThat(shown.status()).isEqualTo("active");
    assertThat(shown.activeWorkers()).isEqualTo(1);
    Presence.Worker worker = world.broker().presence().workers(broken -> {}).get(0);
    assertThat(worker.taskId()).isEqualTo("a");
    assertThat(worker.queue()).isEqualTo(Q);
    assertThat(worker.serverId()).isEqualTo(server.id());
    assertThat(worker.deadline()).isAfter(before.plusSeconds(90));
    assertThat(server.running()).isEqualTo(1);

    server.quiet();
    soon(
        () ->
            assertThat(world.broker().presence().seen(broken -> {}).get(0).server().status())
                .isEqualTo("stopped"));
    release.countDown();
    server.stop();
    assertThat(world.broker().presence().seen(broken -> {})).isEmpty();
    assertThat(world.broker().presence().workers(broken -> {})).isEmpty();
  }

  @Test
  void whileItStopsAServerIsShownAsClosedWithWhatStillRuns() throws Exception {
    world.enqueue("a");
    TaskServer server = world.start(blocked());
    soon(() -> assertThat(server.running()).isEqualTo(1));

    Thread stop = new Thread(server::stop);
    stop.start();
    soon(
        () -> {
          Presence.Server shown = world.broker().presence().seen(broken -> {}).get(0).server();
          assertThat(shown.status()).isEqualTo("closed");
          assertThat(shown.activeWorkers()).isEqualTo(1);
        });
    release.countDown();
    stop.join();
    world.awaitGone("a");
  }

  @Test
  void leasesOfRunningTasksAreExtendedQueueByQueue() {
    world.enqueue("a");
    world.enqueue("b", options -> options.queue("other"));
    world.start(blocked().queue("default", 1).queue("other", 1));
    soon(() -> assertThat(world.broker().presence().workers(broken -> {})).hasSize(2));
    double a = lease("default", "a");
    double b = lease("other", "b");

    soon(() -> assertThat(lease("default", "a")).isGreaterThan(a + 1));
    soon(() -> assertThat(lease("other", "b")).isGreaterThan(b + 1));
    release.countDown();
    soon(() -> assertThat(lease("default", "a")).isZero());
    assertThat(recorder.lines("recovered")).isEmpty();
  }

  /** Takes a task as a worker that vanishes at once; its lease ends after a second. */
  private static void vanishWith(QueueName queue, int count) {
    assertThat(
            world
                .broker()
                .leases()
                .claim(queue, count, Duration.ofSeconds(1), QueueRules.NONE)
                .claims())
        .hasSize(count);
  }

  @Test
  void aServerThatHasJustStartedLeavesExpiredLeasesToTheirOwnersForAHeartbeat() {
    world.enqueue("a");
    Claim claim =
        world.broker().leases().claim(Q, 1, Duration.ofMinutes(1), QueueRules.NONE).claims().get(0);
    try (Jedis jedis = world.jedis()) {
      // As after an outage during which it could not be extended.
      jedis.zincrby("asynq:{default}:lease", -120, "a");
    }
    world.start(
        world
            .quick((task, context) -> Outcome.done())
            .timing(timing -> timing.lease(Duration.ofMinutes(2)).heartbeat(Duration.ofMinutes(1)))
            .listener(recorder));
    world.enqueue("b");
    // By then each duty of the server has been done once.
    world.awaitGone("b");
    soon(() -> assertThat(world.broker().presence().seen(broken -> {})).hasSize(1));

    assertThat(world.broker().leases().extend(Q, List.of(claim), Duration.ofMinutes(1)))
        .doesNotContainNull();
    assertThat(recorder.lines("recovered")).isEmpty();
  }

  @Test
  void tasksOfAVanishedWorkerAreRunAgainAtOnceAndPayNothing() {
    Map<String, Integer> retries = new ConcurrentHashMap<>();
    world.enqueueMany("a", 3, options -> options.maxRetry(0));
    world.enqueueMany("b", 2, options -> options.queue("other"));
    vanishWith(Q, 3);
    vanishWith(OTHER, 2);
    world.start(
        world
            .quick(
                (task, context) -> {
                  retries.put(context.id(), context.retryCount());
                  return Outcome.done();
                })
            .queue("default", 1)
            .queue("other", 1)
            .listener(recorder));

    soon(() -> assertThat(retries).containsOnlyKeys("a0", "a1", "a2", "b0", "b1"));
    assertThat(retries.values()).containsOnly(0);
    assertThat(recorder.lines("recovered")).hasSize(5).contains("recovered a0 pending");
    soon(() -> assertThat(world.count(TaskState.ACTIVE)).isZero());
  }

  @Test
  void aTaskThatTakesItsWorkersWithItIsArchived() {
    world.enqueue("a");
    vanishWith(Q, 1);
    world.start(blocked().crashes(crashes -> crashes.max(1)));

    world.awaitState("a", TaskState.ARCHIVED);
    assertThat(world.info("a").lastError()).isEqualTo("asynq: task lease expired");
    assertThat(world.info("a").crashes()).isEqualTo(1);
  }

  @Test
  void theSecondTimeATaskWaitsBeforeItIsRunAgain() {
    world.enqueue("a");
    try (Jedis jedis = world.jedis()) {
      jedis.hset("asynq:{default}:t:a", "crashes", "1");
    }
    vanishWith(Q, 1);
    world.start(blocked().crashes(crashes -> crashes.delay(Duration.ofMinutes(10))));

    world.awaitState("a", TaskState.RETRY);
    assertThat(world.info("a").retried()).isZero();
    assertThat(world.info("a").crashes()).isEqualTo(2);
  }

  @Test
  void goWorkersAreGivenMoreTime() throws Exception {
    world.enqueue("recent");
    world.enqueue("old");
    world.enqueue("future");
    vanishWith(Q, 3);
    long now = world.redis.clock().instant().getEpochSecond();
    try (Jedis jedis = world.jedis()) {
      // Whole numbers, as Go workers write them.
      jedis.zadd("asynq:{default}:lease", now - 10.0, "recent");
      jedis.zadd("asynq:{default}:lease", now - 40.0, "old");
      jedis.zadd("asynq:{default}:lease", now + 60.0, "future");
    }
    world.start(blocked());

    soon(() -> assertThat(recorder.lines("recovered")).containsExactly("recovered old pending"));
    // Long enough for several more looks.
    Thread.sleep(600);
    assertThat(recorder.lines("recovered")).hasSize(1);
    assertThat(world.state("recent")).isEqualTo(TaskState.ACTIVE);
    assertThat(world.state("future")).isEqualTo(TaskState.ACTIVE);
  }

  @Test
  void dueTasksOfAllQueuesAreRunAndOthersWait() {
    List<String> seen = new CopyOnWriteArrayList<>();
    for (String queue : List.of("default", "other")) {
      world.enqueue(
          queue + "-due", options -> options.queue(queue).processIn(Duration.ofSeconds(1)));
      world.enqueue(
          queue + "-future", options -> options.queue(queue).processIn(Duration.ofHours(1)));
    }
    world.start(
        world
            .quick(
                (task, context) -> {
                  seen.add(context.id());
                  return Outcome.done();
                })
            .queue("default", 1)
            .queue("other", 1));

    soon(() -> assertThat(seen).containsExactlyInAnyOrder("default-due", "other-due"));
    assertThat(world.count(Q, TaskState.SCHEDULED)).isEqualTo(1);
    assertThat(world.count(OTHER, TaskState.SCHEDULED)).isEqualTo(1);
  }

  @Test
  void aPreciseTimeIsKeptToTheMillisecondAndNeverEarly() {
    Map<String, Duration> late = new ConcurrentHashMap<>();
    Map<String, Instant> due = new ConcurrentHashMap<>();
    Instant start = world.redis.clock().instant().plusMillis(1_500);
    for (int i = 0; i < 10; i++) {
      Instant when = start.plusMillis(137L * i).truncatedTo(ChronoUnit.MILLIS);
      due.put("a" + i, when);
      world.enqueue("a" + i, options -> options.processAt(when).precise());
    }
    world.start(
        world.quick(
            (task, context) -> {
              Instant now = world.redis.clock().instant();
              late.put(context.id(), Duration.between(due.getOrDefault(context.id(), now), now));
              return Outcome.done();
            }));

    soon(() -> assertThat(late).hasSize(10));
    List<Duration> sorted = late.values().stream().sorted().toList();
    assertThat(sorted.get(0)).isGreaterThanOrEqualTo(Duration.ofMillis(-2));
    // At whole seconds one or two of them would be so quick; a busy machine may delay any of them.
    assertThat(sorted.get(2)).isLessThan(Duration.ofMillis(150));
  }

  @Test
  void completedTasksAreDeletedWhenTheirTimeIsOver() {
    for (String queue : List.of("default", "other")) {
      world.enqueue(
          queue + "-short", options -> options.queue(queue).retention(Duration.ofSeconds(1)));
      world.enqueue(
          queue + "-long", options -> options.queue(queue).retention(Duration.ofHours(1)));
    }
    world.start(
        world.quick((task, context) -> Outcome.done()).queue("default", 1).queue("other", 1));

    soon(() -> assertThat(world.ids(Q, TaskState.COMPLETED)).containsExactly("default-long"));
    soon(() -> assertThat(world.ids(OTHER, TaskState.COMPLETED)).containsExactly("other-long"));
  }

  @Test
  void fixesW18_whatInterruptedWritersLeftIsPutRight() {
    world.enqueue("a");
    vanishWith(Q, 1);
    try (Jedis jedis = world.jedis()) {
      jedis.zrem("asynq:{default}:lease", "a");
      jedis.zadd("asynq:{default}:lease", 1.5, "nobody");
    }
    release.countDown();
    world.start(blocked().crashes(crashes -> crashes.goGrace(Duration.ZERO)));

    world.awaitGone("a");
    soon(() -> assertThat(lease("default", "nobody")).isZero());
  }

  @ParameterizedTest
  @ValueSource(strings = {"253402300799", "inf"})
  void aTaskForTheEndOfAllCalendarsLetsTheForwarderSleep(String due) {
    world.enqueue("far", o -> o.processAt(TaskOptions.LATEST_TIME));
    try (CapturedLogs logs = new CapturedLogs();
        Jedis jedis = world.jedis()) {
      jedis.sendCommand(Protocol.Command.ZADD, "asynq:{default}:scheduled", due, "far");
      world.start(world.quick((task, context) -> Outcome.done()));
      world.enqueue("soon", o -> o.processIn(Duration.ofSeconds(1)).retention(Duration.ofHours(1)));

      world.awaitState("soon", TaskState.COMPLETED);

      assertThat(world.state("far")).isEqualTo(TaskState.SCHEDULED);
      assertThat(logs.linesWith("the forwarder failed")).isEmpty();
    }
  }
}
