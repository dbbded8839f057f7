package io.asynq4j.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.ServerListener;
import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServerBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Handlers that report progress continuously, on a Redis with high latency. */
class HighLatencyProgressIT {

  private static final int HANDLERS = 100;

  private final Map<String, AtomicInteger> begun = new ConcurrentHashMap<>();
  private final Queue<String> lost = new ConcurrentLinkedQueue<>();

  private TaskServerBuilder server(RedisConnection connection) {
    return TaskServer.builder(connection)
        .handlers(
            (task, context) -> {
              begun.computeIfAbsent(context.id(), any -> new AtomicInteger()).incrementAndGet();
              // Several leases long.
              long end = System.nanoTime() + Duration.ofSeconds(12).toNanos();
              for (int i = 0; end - System.nanoTime() > 0; i++) {
                try {
                  context.progress(i % 100, "step " + i);
                  context.writeResult("result " + i);
                } catch (BrokerException e) {
                  // The handler ignores it.
                }
              }
              context.progress(100, "the end");
              return Outcome.done();
            })
        .concurrency(HANDLERS)
        .timing(
            timing ->
                timing
                    .lease(Duration.ofSeconds(3))
                    .heartbeat(Duration.ofMillis(500))
                    .recoverInterval(Duration.ofMillis(200)))
        .listener(
            new ServerListener() {
              @Override
              public void leaseLost(TaskRef task) {
                lost.add(task.id());
              }
            });
  }

  @Test
  void handlersThatReportConstantlyCostNoLease() {
    try (EmbeddedRedis redis = EmbeddedRedis.builder().ephemeral().start();
        FaultProxy proxy = new FaultProxy(redis.port());
        RedisConnection direct = RedisConnection.open(redis.uri());
        RedisConnection distant =
            RedisConnection.open(
                RedisConfig.builder()
                    .standalone("127.0.0.1", proxy.port())
                    .maxConnections(4)
                    .build())) {
      BrokerConnection.brokerOf(direct)
          .enqueueing()
          .enqueue(
              IntStream.range(0, HANDLERS)
                  .mapToObj(
                      i ->
                          NewTask.of(
                              Task.of("t"),
                              TaskOptions.of(
                                  o -> o.id("a" + i).retention(Duration.ofHours(1)).maxRetry(3)),
                              direct.clock().instant()))
                  .toList());
      proxy.delayReplies(200);
      // The other server would recover tasks whose lease the first one loses.
      try (TaskServer chatty = server(distant).build();
          TaskServer other = server(direct).build()) {
        chatty.start();
        await().atMost(Duration.ofSeconds(60)).until(() -> begun.size() == HANDLERS);
        other.start();
        await()
            .atMost(Duration.ofSeconds(90))
            .until(
                () ->
                    BrokerConnection.brokerOf(direct)
                            .queues()
                            .snapshot(QueueName.DEFAULT)
                            .processed()
                        >= HANDLERS);
      }
      assertThat(lost).isEmpty();
      assertThat(begun).hasSize(HANDLERS);
      assertThat(begun.values()).allSatisfy(count -> assertThat(count).hasValue(1));
      // The last report is always written.
      List<Integer> percents =
          IntStream.range(0, HANDLERS)
              .mapToObj(
                  i -> BrokerConnection.brokerOf(direct).tasks().task(QueueName.DEFAULT, "a" + i))
              .map(task -> task.progress() == null ? -1 : task.progress().percent())
              .toList();
      assertThat(percents).containsOnly(100);
    }
  }
}
