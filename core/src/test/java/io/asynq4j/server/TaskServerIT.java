package io.asynq4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** A server on a real Redis. */
@TestInstance(Lifecycle.PER_CLASS)
class TaskServerIT {

  private EmbeddedRedis server;
  private RedisConnection redis;

  @BeforeAll
  void startRedis() {
    server = EmbeddedRedis.builder().ephemeral().start();
  }

  @AfterAll
  void stopRedis() {
    server.close();
  }

  @BeforeEach
  void connect() {
    redis = RedisConnection.open(server.uri());
  }

  @AfterEach
  void disconnect() {
    redis.close();
  }

  @Test
  void aServerIsBuiltAndStartedInOneCall() throws Exception {
    QueueName other = QueueName.of("other");
    TaskServer running = TaskServer.start(redis, (task, context) -> Outcome.done());
    assertThat(running.queues()).containsOnlyKeys("default");
    running.addQueue(other, 2);
    assertThat(running.queues()).containsEntry("other", 2);
    assertThat(running.removeQueue(other)).isTrue();

    Thread stopper = new Thread(running::stop);
    stopper.start();
    running.awaitStop();
    stopper.join();

    assertThat(running.state()).isEqualTo(ServerState.CLOSED);
  }

  @Test
  void everyTaskIsProcessedOnce() {
    Set<String> seen = ConcurrentHashMap.newKeySet();
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      tasks.add(NewTask.of(Task.of("t"), TaskOptions.defaults(), redis.clock().instant()));
    }
    BrokerConnection.brokerOf(redis).enqueueing().enqueue(tasks);

    try (TaskServer running =
        TaskServer.builder(redis)
            .concurrency(20)
            .handlers(
                (task, context) -> {
                  assertThat(seen.add(context.id())).isTrue();
                  return Outcome.done();
                })
            .build()) {
      running.start();
      await().until(() -> seen.size() == 1_000);
    }

    Listing active = Listing.first(TaskState.ACTIVE, 10);
    assertThat(BrokerConnection.brokerOf(redis).tasks().list(QueueName.DEFAULT, active).total())
        .isZero();
  }
}
