package io.asynq4j.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.Durability;
import io.asynq4j.Task;
import io.asynq4j.client.EnqueueResult.Enqueued;
import io.asynq4j.client.EnqueueResult.Failed;
import io.asynq4j.client.EnqueueResult.IdConflict;
import io.asynq4j.embedded.EmbeddedCluster;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.embedded.EmbeddedSentinel;
import io.asynq4j.fixture.RestartServersAfterFailure;
import io.asynq4j.redis.RedisConnection;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.Jedis;

/** Enqueues that wait for replicas or the disk. */
@TestInstance(Lifecycle.PER_CLASS)
@ExtendWith(RestartServersAfterFailure.class)
class DurabilityIT {

  private static final Task TASK = Task.of("t");

  private EmbeddedSentinel sentinel;
  private EmbeddedRedis primary;
  private RedisConnection redis;

  @BeforeAll
  void start() {
    // A paused replica must not be considered dead.
    sentinel = EmbeddedSentinel.builder().downAfter(ofSeconds(60)).start();
    primary = sentinel.primary();
    redis = RedisConnection.open(sentinel.uri());
  }

  @AfterAll
  void stop() {
    redis.close();
    sentinel.close();
  }

  @BeforeEach
  void awaitReplicas() {
    try (Jedis admin = new Jedis(primary.host(), primary.port())) {
      admin.flushAll();
      await().until(() -> admin.waitReplicas(2, 1_000) == 2);
    }
  }

  private long pendingOn(EmbeddedRedis server) {
    try (Jedis admin = new Jedis(server.host(), server.port())) {
      return admin.llen("asynq:{default}:pending");
    }
  }

  @Test
  void aReplicatedTaskIsOnTheReplicasWhenTheCallReturns() {
    try (TaskClient client =
        TaskClient.builder(redis).durability(Durability.REPLICATED).replicas(2).build()) {
      assertThat(client.enqueue(TASK).isEnqueued()).isTrue();
      assertThat(sentinel.replicas()).allSatisfy(each -> assertThat(pendingOn(each)).isEqualTo(1));

      assertThat(client.enqueueAll(List.of(EnqueueRequest.of(TASK), EnqueueRequest.of(TASK))))
          .hasOnlyElementsOfType(Enqueued.class);
      assertThat(client.enqueueAsync(TASK).toCompletableFuture().join().isEnqueued()).isTrue();
      assertThat(sentinel.replicas()).allSatisfy(each -> assertThat(pendingOn(each)).isEqualTo(4));
    }
  }

  @Test
  void aTaskThatIsNotReplicatedInTimeIsEnqueuedOnceAndReportedAsUnconfirmed() {
    EmbeddedRedis stalled = sentinel.replicas().get(0);
    try (TaskClient client =
        TaskClient.builder(redis).replicas(2).confirmWithin(ofMillis(300)).build()) {
      Enqueuer careful = client.durably(Durability.REPLICATED);
      assertThat(careful.enqueue(TASK, o -> o.id("taken")).isEnqueued()).isTrue();
      stalled.pause();
      try {
        UnconfirmedTaskException unconfirmed =
            catchThrowableOfType(
                UnconfirmedTaskException.class, () -> careful.enqueue(TASK, o -> o.id("a")));

        assertThat(unconfirmed)
            .hasMessage(
                "task with id=a is enqueued in queue \"default\", but not confirmed as REPLICATED:"
                    + " 1 of 2 replicas had it after 300 ms. Do not enqueue it again");
        assertThat(unconfirmed.task().id()).isEqualTo("a");
        assertThat(pendingOn(primary)).isEqualTo(2);
        List<EnqueueResult> many =
            careful.enqueueAll(
                List.of(
                    EnqueueRequest.of(TASK, o -> o.id("b")),
                    EnqueueRequest.of(TASK, o -> o.id("taken"))));
        assertThat(many.get(0))
            .isInstanceOfSatisfying(
                Failed.class,
                failed -> assertThat(failed.error()).isInstanceOf(UnconfirmedTaskException.class));
        assertThat(many.get(1)).isInstanceOf(IdConflict.class);
        assertThat(pendingOn(primary)).isEqualTo(3);
        assertThat(client.enqueue(TASK).isEnqueued()).isTrue();
      } finally {
        stalled.resume();
      }
    }
  }

  @Test
  void whatThisRedisCannotConfirmIsRefusedBeforeItIsSent() {
    try (TaskClient client = TaskClient.create(redis)) {
      BrokerRefusedException refused =
          catchThrowableOfType(
              BrokerRefusedException.class, () -> client.durably(Durability.FSYNCED).enqueue(TASK));

      assertThat(refused)
          .hasMessageStartingWith(
              "nothing was enqueued, because FSYNCED cannot be confirmed by this Redis")
          .hasMessageContaining("unknown command")
          .hasMessageContaining("It needs Redis 7.2 or newer, appendonly yes");
      assertThat(refused.mayHaveBeenApplied()).isFalse();
      assertThat(pendingOn(primary)).isZero();
    }
  }

  @Test
  void onAClusterTheNodeThatHasTheQueueIsAsked() {
    try (EmbeddedCluster cluster = EmbeddedCluster.builder().replicas(1).start();
        RedisConnection connection = RedisConnection.open(cluster.uri());
        TaskClient client =
            TaskClient.builder(connection).durability(Durability.REPLICATED).build()) {
      for (String queue : List.of("a", "b", "c", "d")) {
        assertThat(client.enqueue(TASK, o -> o.queue(queue)).isEnqueued()).isTrue();
      }
    }
  }
}
