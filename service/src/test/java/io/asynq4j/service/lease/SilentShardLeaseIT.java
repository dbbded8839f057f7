package io.asynq4j.service.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.client.TaskClient;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.LeasedTask.LeaseProof;
import io.asynq4j.lease.LeasedTask.LeaseResult;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.service.ServiceConfig;
import io.asynq4j.service.ServiceFixture;
import io.asynq4j.service.SilentShard;
import io.asynq4j.service.TaskService;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Workers that wait for tasks over HTTP while one Redis server of a cluster does not respond. */
class SilentShardLeaseIT {

  private static final Duration LEASE = Duration.ofMinutes(10);
  private static final Duration WAIT = Duration.ofMinutes(5);

  private final SilentShard shard = new SilentShard(0);
  private final List<String> stuck = shard.queues(true, 6);
  private final List<String> healthy = shard.queues(false, 6);
  private final RedisConnection other =
      shard.connect(Duration.ofSeconds(2), Duration.ofSeconds(10));
  private final TaskClient client = TaskClient.create(other);
  private final Inspector inspector = Inspector.create(other);
  private @Nullable RedisConnection redis;
  private @Nullable LeaseDispatcher dispatcher;

  @BeforeEach
  void fill() {
    // A claim without a waiting caller finds a task.
    stuck.forEach(queue -> enqueue(queue, "before-" + queue));
  }

  @AfterEach
  void stop() {
    shard.resume();
    if (dispatcher != null) {
      dispatcher.close();
    }
    if (redis != null) {
      redis.close();
    }
    client.close();
    other.close();
    shard.close();
  }

  private LeaseDispatcher dispatcher(Duration commandTimeout, Duration retryFor) {
    RedisConnection connection = shard.connect(commandTimeout, retryFor);
    redis = connection;
    TaskLeases leases = TaskLeases.create(connection);
    LeaseDispatcher opened =
        new LeaseDispatcher(
            () -> leases,
            connection.clock(),
            ForkJoinPool.commonPool(),
            LeaseDispatcher.RECHECK_INTERVAL);
    dispatcher = opened;
    // So that the servers are known and all connections are open.
    assertThat(lease(opened, List.of(healthy.get(0)), Duration.ZERO).join()).isEmpty();
    return opened;
  }

  private void enqueue(String queue, String id) {
    client.enqueue(Task.of("t"), TaskOptions.of(o -> o.queue(queue).id(id))).orThrow();
  }

  /** Like a request on a separate thread. */
  private static CompletableFuture<List<LeasedTask>> lease(
      LeaseDispatcher dispatcher, List<String> queues, Duration wait) {
    CompletableFuture<List<LeasedTask>> answer = new CompletableFuture<>();
    Thread request =
        new Thread(
            () -> {
              try {
                dispatcher
                    .lease(queues, 1, LEASE, wait)
                    .whenComplete(
                        (tasks, error) -> {
                          if (error == null) {
                            answer.complete(tasks);
                          } else {
                            answer.completeExceptionally(error);
                          }
                        });
              } catch (RuntimeException e) {
                answer.completeExceptionally(e);
              }
            });
    request.setDaemon(true);
    request.start();
    return answer;
  }

  private static List<String> ids(CompletableFuture<List<LeasedTask>> answer) throws Exception {
    return answer.get(30, TimeUnit.SECONDS).stream().map(LeasedTask::id).toList();
  }

  private void awaitWaiting(LeaseDispatcher opened, int count) {
    await().until(() -> opened.waiting() == count);
  }

  @Test
  void aWorkerGetsItsTaskWhileAnotherWaitsForTheSilentServer() throws Exception {
    LeaseDispatcher opened = dispatcher(SilentShard.VERY_LONG, Duration.ZERO);
    shard.pause();
    List<CompletableFuture<List<LeasedTask>>> waiting = new ArrayList<>();
    stuck.forEach(queue -> waiting.add(lease(opened, List.of(queue), WAIT)));
    awaitWaiting(opened, stuck.size());

    for (String queue : healthy) {
      CompletableFuture<List<LeasedTask>> answer = lease(opened, List.of(queue), WAIT);
      awaitWaiting(opened, stuck.size() + 1);
      enqueue(queue, "after-" + queue);
      assertThat(ids(answer)).containsExactly("after-" + queue);
    }

    assertThat(waiting).noneMatch(CompletableFuture::isDone);
    shard.resume();
    for (int i = 0; i < stuck.size(); i++) {
      assertThat(ids(waiting.get(i))).containsExactly("before-" + stuck.get(i));
    }
  }

  @Test
  void aWorkerForBothGetsTasksOfTheHealthyServerAndNoLeaseIsOrphaned() throws Exception {
    LeaseDispatcher opened = dispatcher(SilentShard.VERY_LONG, Duration.ZERO);
    for (String queue : healthy) {
      enqueue(queue, "after-" + queue);
    }
    shard.pause();

    for (int i = 0; i < healthy.size(); i++) {
      CompletableFuture<List<LeasedTask>> answer =
          lease(opened, List.of(stuck.get(i), healthy.get(i)), WAIT);
      assertThat(ids(answer)).containsExactly("after-" + healthy.get(i));
    }

    shard.resume();
    awaitNothingLeased();
  }

  @Test
  void aWorkerThatWaitsForBothGetsWhatTheHealthyServerIsGiven() throws Exception {
    LeaseDispatcher opened = dispatcher(SilentShard.VERY_LONG, Duration.ZERO);
    shard.pause();
    List<String> all = new ArrayList<>(stuck);
    all.addAll(healthy);
    CompletableFuture<List<LeasedTask>> few =
        lease(opened, List.of(stuck.get(0), healthy.get(0)), WAIT);
    CompletableFuture<List<LeasedTask>> many = lease(opened, all, WAIT);
    awaitWaiting(opened, 2);

    enqueue(healthy.get(0), "first");
    enqueue(healthy.get(0), "second");

    assertThat(ids(few)).hasSize(1);
    assertThat(ids(many)).hasSize(1);
    shard.resume();
    awaitNothingLeased();
  }

  @Test
  void queuesOfAServerThatFailsAreServedWhenItIsBack() throws Exception {
    LeaseDispatcher opened = dispatcher(Duration.ofMillis(400), Duration.ZERO);
    shard.pause();
    CompletableFuture<List<LeasedTask>> waiting = lease(opened, stuck.subList(0, 1), WAIT);
    awaitWaiting(opened, 1);
    for (String queue : healthy) {
      CompletableFuture<List<LeasedTask>> answer = lease(opened, List.of(queue), WAIT);
      awaitWaiting(opened, 2);
      enqueue(queue, "after-" + queue);
      assertThat(ids(answer)).containsExactly("after-" + queue);
    }

    // Long enough for calls to fail and be repeated.
    Instant later = other.clock().instant().plusSeconds(3);
    await().until(() -> other.clock().instant().isAfter(later));
    assertThat(waiting).isNotDone();
    shard.resume();

    assertThat(ids(waiting)).containsExactly("before-" + stuck.get(0));
  }

  @Test
  void aWorkerThatDoesNotWaitGetsAnErrorWhenTheServerDoesNotAnswer() throws Exception {
    LeaseDispatcher opened = dispatcher(SilentShard.VERY_LONG, Duration.ZERO);
    shard.pause();

    CompletableFuture<List<LeasedTask>> answer =
        lease(opened, List.of(stuck.get(0), healthy.get(0)), Duration.ZERO);

    assertThatThrownBy(() -> answer.get(30, TimeUnit.SECONDS))
        .hasRootCauseInstanceOf(TimeoutException.class)
        .cause()
        .isInstanceOf(BrokerUnavailableException.class)
        .hasMessageContaining(stuck.get(0));
    shard.resume();
    awaitNothingLeased();
    assertThat(ids(lease(opened, List.of(stuck.get(0)), Duration.ZERO)))
        .containsExactly("before-" + stuck.get(0));
  }

  @Test
  void leasesOnOtherServersAreExtendedAndSettledByACallThatFails() {
    enqueue(healthy.get(0), "a");
    try (RedisConnection connection = shard.connect(Duration.ofMillis(400), Duration.ZERO)) {
      TaskLeases leases = TaskLeases.create(connection);
      List<LeasedTask> both = new ArrayList<>();
      both.addAll(leases.claim(stuck.get(0), 1, LEASE));
      both.addAll(leases.claim(healthy.get(0), 1, LEASE));
      LeasedTask kept = both.get(1);
      shard.pause();

      assertThatThrownBy(() -> leases.extend(both, LEASE.multipliedBy(3)))
          .isInstanceOf(BrokerUnavailableException.class);
      assertThat(leases.restore(healthy.get(0), "a", kept.token()))
          .hasValueSatisfying(
              now -> assertThat(now.leasedUntil()).isAfter(kept.leasedUntil().plus(LEASE)));

      assertThatThrownBy(
              () ->
                  leases.complete(
                      both.stream()
                          .map(
                              task ->
                                  new LeaseResult(
                                      new LeaseProof(task.queue().value(), task.id(), task.token()),
                                      Payload.absent()))
                          .toList()))
          .isInstanceOf(BrokerUnavailableException.class);
      assertThat(leases.restore(healthy.get(0), "a", kept.token())).isEmpty();
    }
  }

  @Test
  void anHttpWorkerKeepsItsLeasesOnOtherServersThoughItExtendsAllOfThemTogether() {
    String yaml =
        """
        redis: { url: "%s?commandTimeout=400ms&retryFor=0s" }
        listen: { port: 0 }
        tasks: { %s: { kind: worker }, %s: { kind: worker } }
        """
            .formatted(shard.uri(), stuck.get(0), healthy.get(0));
    try (ServiceFixture fixture = new ServiceFixture()) {
      fixture.start(TaskService.builder(ServiceConfig.parse("test.yaml", yaml, Map.of())));
      List<LeaseProof> proofs = new ArrayList<>();
      List<String> tokens = new ArrayList<>();
      for (String name : List.of(stuck.get(0), healthy.get(0))) {
        fixture.post("/v1/tasks", "{\"name\":\"%s\"}".formatted(name));
        String token =
            fixture
                .post("/v1/lease", "{\"names\":[\"%s\"],\"lease\":\"60s\"}".formatted(name))
                .at("/tasks/0/token")
                .stringValue();
        proofs.add(LeaseToken.parse(token).orElseThrow());
        tokens.add("{\"token\":\"%s\",\"lease\":\"10m\"}".formatted(token));
      }
      Instant before = leasedUntil(proofs.get(1));
      shard.pause();

      assertThat(
              fixture
                  .post("/v1/extend", "{\"tasks\":[%s]}".formatted(String.join(",", tokens)))
                  .status())
          .isEqualTo(503);

      assertThat(leasedUntil(proofs.get(1))).isAfter(before.plusSeconds(300));
    }
  }

  private Instant leasedUntil(LeaseProof proof) {
    return TaskLeases.create(other)
        .restore(proof.queue(), proof.id(), proof.token())
        .orElseThrow()
        .leasedUntil();
  }

  private void awaitNothingLeased() {
    await()
        .untilAsserted(
            () -> {
              for (String queue : stuck) {
                assertThat(inspector.queue(queue).snapshot().size(TaskState.PENDING)).isEqualTo(1);
                assertThat(inspector.queue(queue).snapshot().size(TaskState.ACTIVE)).isZero();
              }
            });
  }
}
