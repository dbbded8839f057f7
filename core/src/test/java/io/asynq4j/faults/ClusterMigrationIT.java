package io.asynq4j.faults;

import static io.asynq4j.fixture.BrokerFixture.LEASE;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskState;
import io.asynq4j.embedded.EmbeddedCluster;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.embedded.RedisBinary;
import io.asynq4j.embedded.SlotMigration;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.RestartServersAfterFailure;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.inspect.Diagnostics.Norms;
import io.asynq4j.internal.broker.inspect.Diagnostics.Subject;
import io.asynq4j.internal.broker.inspect.Diagnostics.SubjectKind;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import io.asynq4j.internal.broker.pubsub.CancellationChannel.Subscription;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.AclIT;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** A cluster whose slots migrate while tasks are enqueued and processed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(RestartServersAfterFailure.class)
class ClusterMigrationIT {

  private static final int SLOT = RedisKeys.slot(RedisKeys.prefix(Q));

  private EmbeddedCluster cluster;
  private TestRedis server;
  private BrokerFixture redis;

  RedisBinary binary() {
    return RedisBinary.bundled();
  }

  @BeforeAll
  void start() {
    cluster = EmbeddedCluster.builder().binary(binary()).start();
    server =
        new TestRedis() {
          @Override
          public RedisConfig config() {
            return RedisConfig.parse(cluster.uri()).toBuilder()
                .retryFor(Duration.ofMillis(30))
                .build();
          }

          @Override
          public List<EmbeddedRedis> primaries() {
            return cluster.nodes();
          }

          @Override
          public void close() {
            cluster.close();
          }
        };
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  @BeforeEach
  void connect() {
    redis = new BrokerFixture(server);
  }

  @AfterEach
  void disconnect() {
    redis.close();
  }

  private EmbeddedRedis another() {
    EmbeddedRedis owner = cluster.nodeOf(SLOT);
    return cluster.nodes().stream().filter(node -> node != owner).findFirst().orElseThrow();
  }

  @Test
  void afterASlotHasMovedItsQueueIsFoundWhereItIs() {
    redis.enqueue("a", "b");
    Claim claim = redis.claimOne();
    String before = redis.world();

    cluster.migrateSlot(SLOT, another());

    assertThat(redis.world()).isEqualTo(before);
    assertThat(redis.settle(new Settlement.Complete(claim, Payload.absent())))
        .isEqualTo(SettleResult.APPLIED);
    assertThat(redis.claimOne().id()).isEqualTo("b");
  }

  @Test
  void halfwayThroughAMoveNothingOfTheQueueIsTouchedAndNothingIsLost() {
    redis.enqueue("a", "b", "c", "d", "e");
    redis.enqueue(redis.task("s", o -> o.processIn(Duration.ofHours(1))));
    redis.enqueue(redis.task("g", o -> o.group("grp")));
    Claim claim = redis.claimOne();
    int keys = redis.world().split("\n").length - 1;
    String before = redis.world();
    SlotMigration migration = cluster.beginMigration(SLOT, another());
    for (int moved = 0; moved <= keys; moved += 3) {
      operations(claim)
          .forEach(
              (name, operation) -> {
                BrokerException e = catchThrowableOfType(BrokerException.class, operation);
                assertThat(e).as(name).isInstanceOf(BrokerUnavailableException.class);
                assertThat(e.mayHaveBeenApplied()).as(name).isFalse();
                assertThat(e).as(name).hasMessageContaining("TRYAGAIN");
              });
      migration.moveKeys(3);
    }

    migration.finish();

    assertThat(redis.world()).isEqualTo(before);
    assertThat(redis.settle(new Settlement.Complete(claim, Payload.absent())))
        .isEqualTo(SettleResult.APPLIED);
    assertThat(redis.claim(10)).extracting(Claim::id).containsExactly("b", "c", "d", "e");
    assertThat(redis.queues().snapshot(Q).size()).isEqualTo(6);
  }

  /** One of each kind of script that changes or reads something of the queue. */
  private Map<String, ThrowingCallable> operations(Claim claim) {
    Map<String, ThrowingCallable> operations = new LinkedHashMap<>();
    operations.put("enqueue", () -> redis.enqueue("x"));
    operations.put(
        "schedule", () -> redis.enqueue(redis.task("x", o -> o.processIn(Duration.ofHours(1)))));
    operations.put("group", () -> redis.enqueue(redis.task("x", o -> o.group("grp"))));
    operations.put("claim", () -> redis.claim(2));
    operations.put("extend", () -> redis.source().extend(Q, List.of(claim), LEASE));
    operations.put(
        "complete", () -> redis.settle(new Settlement.Complete(claim, Payload.absent())));
    operations.put("archive", () -> redis.settle(new Settlement.Archive(claim, "no")));
    operations.put("requeue", () -> redis.settle(new Settlement.Requeue(claim)));
    operations.put(
        "retry", () -> redis.settle(new Settlement.Retry(claim, Duration.ZERO, "no", true, false)));
    operations.put("forward", () -> redis.upkeep().forward(Q, 10));
    operations.put(
        "recover",
        () ->
            redis
                .upkeep()
                .recover(Q, 10, CrashRules.DEFAULT, QueueRules.NONE, ArchiveRules.DEFAULT));
    operations.put("repair", () -> redis.upkeep().repair(Q));
    operations.put(
        "examine",
        () ->
            redis
                .broker
                .diagnostics()
                .examine(
                    List.of(Subject.of(SubjectKind.TASK, Q, "b")),
                    new Norms(ArchiveRules.DEFAULT, Duration.ofMinutes(1)),
                    false));
    operations.put("run", () -> redis.actions().run(Q, List.of("s")));
    operations.put("delete", () -> redis.actions().delete(Q, List.of("b")));
    operations.put("list", () -> redis.tasks().list(Q, Listing.first(TaskState.PENDING, 10)));
    operations.put("stats", () -> redis.queues().snapshot(Q));
    return operations;
  }

  @Test
  void whileAQueueMovesTheOthersGoOn() {
    redis.enqueue("a", "b");
    SlotMigration migration = cluster.beginMigration(SLOT, another());
    migration.moveKeys(2);

    assertThat(redis.enqueue(redis.task("x", o -> o.queue("other"))))
        .containsExactly(EnqueueReply.ENQUEUED);
    assertThat(redis.source().claim(QueueName.of("other"), 1, LEASE, QueueRules.NONE).claims())
        .hasSize(1);

    migration.finish();
    assertThat(redis.claim(5)).extracting(Claim::id).containsExactly("a", "b");
  }

  @Test
  void aSettingIsReadAndWrittenWhereverItsKeyIsMeanwhile() {
    redis.enqueue("a");
    redis.queueControl().pause(Q);
    SlotMigration migration = cluster.beginMigration(SLOT, another());
    try {
      while (migration.moveKeys(1) > 0) {
        // One after the other, until the pause has moved for certain.
      }
      assertThat(redis.queueControl().pause(Q)).as("it was paused already").isFalse();
      assertThat(redis.queueControl().resume(Q)).isTrue();
      assertThat(redis.queueControl().pause(Q)).isTrue();
    } finally {
      migration.finish();
    }
    assertThat(redis.claimBatch(1, QueueRules.NONE).rest().name()).isEqualTo("PAUSED");
  }

  @Test
  void whileASlotMovesToAndFroEveryTaskIsProcessedOnce() throws InterruptedException {
    int tasks = 300;
    Set<String> accepted = ConcurrentHashMap.newKeySet();
    Map<String, Integer> done = new ConcurrentHashMap<>();
    Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();
    AtomicBoolean stop = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    for (int t = 0; t < 2; t++) {
      int producer = t;
      threads.execute(
          () -> {
            for (int i = 0; i < tasks && !stop.get(); i++) {
              String id = producer + "-" + i;
              untilAnswered(stop, surprises, () -> redis.enqueue(id));
              accepted.add(id);
            }
          });
      threads.execute(
          () -> {
            while (!stop.get()) {
              untilAnswered(stop, surprises, () -> processSome(stop, done));
            }
          });
    }
    try {
      EmbeddedRedis home = cluster.nodeOf(SLOT);
      EmbeddedRedis away = another();
      for (int i = 0; i < 4; i++) {
        cluster.migrateSlot(SLOT, i % 2 == 0 ? away : home);
      }
      await().atMost(Duration.ofSeconds(60)).until(() -> done.size() == 2 * tasks);
    } finally {
      stop.set(true);
      threads.shutdown();
      assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }

    assertThat(surprises).isEmpty();
    assertThat(done.keySet()).isEqualTo(accepted);
    assertThat(done.values()).containsOnly(1);
    assertThat(redis.world()).doesNotContain("t:").contains("\nprocessed: " + 2 * tasks + "\n");
  }

  private void processSome(AtomicBoolean stop, Map<String, Integer> done) {
    for (Claim claim : redis.claim(10)) {
      Settlement settlement = new Settlement.Complete(claim, Payload.absent());
      SettleResult[] answer = new SettleResult[1];
      untilAnswered(
          stop, new ConcurrentLinkedQueue<>(), () -> answer[0] = redis.settle(settlement));
      if (answer[0] == SettleResult.APPLIED) {
        done.merge(claim.id(), 1, Integer::sum);
      }
    }
  }

  private static void untilAnswered(AtomicBoolean stop, Queue<Throwable> surprises, Runnable call) {
    do {
      try {
        call.run();
        return;
      } catch (BrokerUnavailableException e) {
        if (e.mayHaveBeenApplied()) {
          surprises.add(e);
        }
      } catch (RuntimeException e) {
        surprises.add(e);
        return;
      }
    } while (!stop.get());
  }

  @Test
  void whatBelongsToNoQueueWorksOnEveryNode() {
    List<String> received = new CopyOnWriteArrayList<>();
    try (Subscription subscription = redis.broker.cancellations().subscribe(received::add)) {
      assertThat(subscription).isNotNull();
      redis.broker.cancellations().publish("a");
      await().until(() -> received.contains("a"));
    }
    for (int i = 0; i < 5; i++) {
      redis
          .presence()
          .show(
              new Presence.Server(
                  "h",
                  i,
                  "s" + i,
                  1,
                  Map.of("q", 1),
                  false,
                  "active",
                  redis.clock.instant(),
                  0,
                  null),
              List.of(),
              Duration.ofMinutes(1));
    }
    assertThat(redis.presence().seen(broken -> {})).hasSize(5);
    assertThat(redis.broker.semaphores().acquire("s", 1, "a", BrokerFixture.NOON.plusSeconds(9)))
        .isTrue();
  }

  @Test
  void anAclUserOfAClusterNeedsOnlyTwoPermissionsMore() {
    for (EmbeddedRedis node : cluster.nodes()) {
      AclIT.setUser(node, "worker", AclIT.NEEDED + " " + AclIT.USEFUL + " " + AclIT.CLUSTER);
    }
    try (RedisConnection connection =
        RedisConnection.open(
            server.config().toBuilder().username("worker").password("pw").build())) {
      AclIT.doEverything(BrokerConnection.brokerOf(connection));
    }
  }

  @Test
  void aWrongPasswordIsRefusedAndNotRetried() {
    RedisConfig config = server.config().toBuilder().username("nobody").password("wr0ng").build();
    try (RedisConnection connection = RedisConnection.lazy(config)) {
      BrokerRefusedException e =
          catchThrowableOfType(BrokerRefusedException.class, connection::ping);

      assertThat(e).hasMessageContaining("WRONGPASS").hasMessageNotContaining("wr0ng");
      assertThat(e.mayHaveBeenApplied()).isFalse();
    }
  }
}
