package io.asynq4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer.ServingMode;
import io.asynq4j.server.TaskServer.UnknownNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Servers that follow the central list of task definitions. */
class ServerTaskDefinitionsIT {

  private EmbeddedRedis server;
  private RedisConnection redis;
  private TaskDefinitions definitions;

  @BeforeEach
  void connect() {
    server = EmbeddedRedis.builder().ephemeral().start();
    redis = RedisConnection.open(server.uri());
    definitions = TaskDefinitions.of(redis);
  }

  @AfterEach
  void disconnect() {
    redis.close();
    server.close();
  }

  private void enqueue(String name, int count) {
    TaskOptions options = definitions.find(name).orElseThrow().options();
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tasks.add(NewTask.of(Task.of(name), options, redis.clock().instant()));
    }
    BrokerConnection.brokerOf(redis).enqueueing().enqueue(tasks);
  }

  @Test
  void theFileReplacesWhatItPutBeforeAndLeavesTheRest() {
    TaskDefinition a = TaskDefinition.builder("a", TaskKind.WORKER).fromFile(true).build();
    TaskDefinition b = TaskDefinition.builder("b", TaskKind.HTTP).fromFile(true).build();
    TaskDefinition other = TaskDefinition.builder("c", TaskKind.WORKER).build();
    definitions.put(other);
    assertThat(definitions.publish(List.of(a, b))).isEmpty();
    assertThat(definitions.publish(List.of(b))).containsExactly("a");
    assertThat(definitions.all()).isEqualTo(Map.of("b", b, "c", other));
    assertThat(definitions.remove("c")).isTrue();
    assertThat(definitions.remove("c")).isFalse();
  }

  @Test
  void aServerWithAHandlerForAnUnknownNameDoesNotStart() {
    definitions.put(TaskDefinition.builder("known", TaskKind.WORKER).build());
    Handler<Task> handler = (task, context) -> Outcome.done();
    try (TaskServer refused =
        TaskServer.fromDefinitions(redis, List.of(), Map.of("known", handler, "odd", handler))) {
      assertThatThrownBy(refused::start)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("[odd]")
          .hasMessageContaining("[known]");
    }
    try (TaskServer warned =
        TaskServer.builder(redis)
            .fromDefinitions(List.of(), Map.of("known", handler, "odd", handler), UnknownNames.WARN)
            .build()) {
      warned.start();
      assertThat(warned.queues()).containsOnlyKeys("known");
    }
  }

  @Test
  void limitsHoldMiddlewaresRunAndChangesAreFollowed() {
    definitions.put(TaskDefinition.builder("slow", TaskKind.WORKER).maxRun(2).build());
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger wrapped = new AtomicInteger();
    CountDownLatch release = new CountDownLatch(1);
    Handler<Task> handler =
        (task, context) -> {
          most.accumulateAndGet(running.incrementAndGet(), Math::max);
          release.await();
          running.decrementAndGet();
          return Outcome.done();
        };
    try (TaskServer served =
        TaskServer.builder(redis)
            .concurrency(10)
            .fromDefinitions(
                List.of(
                    (task, context, next) -> {
                      wrapped.incrementAndGet();
                      return next.call();
                    }),
                Map.of("slow", handler, "later", (task, context) -> Outcome.done()),
                UnknownNames.WARN)
            .build()) {
      served.start();
      enqueue("slow", 8);
      await().until(() -> running.get() == 2);

      definitions.put(TaskDefinition.builder("slow", TaskKind.WORKER).maxRun(5).build());
      definitions.put(TaskDefinition.builder("later", TaskKind.WORKER).build());
      await().until(() -> running.get() == 5);
      assertThat(served.queues()).containsOnlyKeys("slow", "later");
      release.countDown();
      await().until(() -> wrapped.get() == 8 && running.get() == 0);
      assertThat(most).hasValue(5);

      definitions.remove("later");
      served.followDefinitions();
      assertThat(served.queues()).containsOnlyKeys("slow");
    }
  }

  @Test
  void theTimeoutAndBackoffOfTheDefinitionOverrideThoseOfTheTask() {
    definitions.put(
        TaskDefinition.builder("long", TaskKind.WORKER)
            .timeout(Duration.ofSeconds(1))
            .backoff(Duration.ofHours(10))
            .longestBackoff(Duration.ofHours(10))
            .build());
    List<Duration> left = new CopyOnWriteArrayList<>();
    BrokerConnection.brokerOf(redis)
        .enqueueing()
        .enqueue(
            List.of(
                NewTask.of(
                    Task.of("long"),
                    TaskOptions.of(o -> o.queue("long").timeout(Duration.ofDays(1)).id("1")),
                    redis.clock().instant())));
    try (TaskServer served =
        TaskServer.fromDefinitions(
            redis,
            List.of(),
            Map.of(
                "long",
                (task, context) -> {
                  left.add(context.timeLeft());
                  return Outcome.retry("not yet");
                }))) {
      served.start();
      await().until(() -> !left.isEmpty());
      assertThat(left.get(0)).isLessThanOrEqualTo(Duration.ofSeconds(1));
      QueueName queue = QueueName.of("long");
      await()
          .until(
              () ->
                  BrokerConnection.brokerOf(redis).tasks().task(queue, "1").state()
                      == TaskState.RETRY);
      assertThat(BrokerConnection.brokerOf(redis).tasks().task(queue, "1").nextProcessAt())
          .isAfter(redis.clock().instant().plus(Duration.ofHours(8)));
    }
  }

  @Test
  void aQueueInUpkeepIsNotClaimedFromButItsDueAndAbandonedTasksComeBack() {
    definitions.put(TaskDefinition.builder("others", TaskKind.WORKER).build());
    TaskLeases leases = TaskLeases.create(redis);
    try (TaskServer served =
        TaskServer.builder(redis)
            .queues(q -> q.defined(definition -> ServingMode.UPKEEP))
            .timing(timing -> timing.recoverInterval(Duration.ofMillis(200)))
            .handlers(
                (task, context) -> {
                  throw new AssertionError("nothing is processed");
                })
            .build()) {
      served.start();
      assertThat(served.queues()).isEmpty();
      BrokerConnection.brokerOf(redis)
          .enqueueing()
          .enqueue(
              List.of(
                  NewTask.of(
                      Task.of("others"),
                      TaskOptions.of(o -> o.queue("others").processIn(Duration.ofSeconds(1))),
                      redis.clock().instant())));
      await().until(() -> !leases.claim("others", 1, Duration.ofSeconds(1)).isEmpty());
      // It is not settled: the next claim finds it again.
      await().until(() -> !leases.claim("others", 1, Duration.ofSeconds(60)).isEmpty());
      assertThat(BrokerConnection.brokerOf(redis).queues().names()).isEqualTo(Set.of("others"));
    }
  }
}
