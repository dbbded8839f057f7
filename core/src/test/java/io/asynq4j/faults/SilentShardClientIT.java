package io.asynq4j.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedCluster;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.lang.Thread.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.util.JedisClusterCRC16;

/** Enqueueing to healthy Redis servers of a cluster while one server does not respond. */
class SilentShardClientIT {

  /** More than the client has threads, calls or places for one server. */
  private static final int STUCK_QUEUES = 12;

  private static final int MAX_WAITING = 40;

  private final EmbeddedCluster cluster =
      EmbeddedCluster.builder().config("cluster-require-full-coverage", "no").start();
  // Calls to the silent server last longer than the test: nothing passes because they gave up.
  private final RedisConnection redis =
      RedisConnection.open(
          RedisConfig.parse(cluster.uri()).toBuilder()
              .commandTimeout(Duration.ofMinutes(2))
              .retryFor(Duration.ofMinutes(4))
              .build());
  private final TaskClient client = TaskClient.builder(redis).maxWaiting(MAX_WAITING).build();
  private final List<Thread> threads = new ArrayList<>();
  private final EmbeddedRedis silent = nodeOf("stuck");
  private final List<String> stuck = queues("stuck", true, STUCK_QUEUES);
  private final String healthy = queues("healthy", false, 1).get(0);

  @BeforeEach
  void silence() {
    // So that the client knows the servers and the queues.
    client.enqueue(Task.of("t"), TaskOptions.of(o -> o.queue(healthy)));
    stuck.forEach(queue -> client.enqueue(Task.of("t"), TaskOptions.of(o -> o.queue(queue))));
    silent.pause();
  }

  @AfterEach
  void stop() throws InterruptedException {
    silent.resume();
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(30));
    }
    client.close();
    redis.close();
    cluster.close();
  }

  private EmbeddedRedis nodeOf(String queue) {
    return cluster.nodeOf(JedisClusterCRC16.getSlot("asynq:{" + queue + "}:"));
  }

  private List<String> queues(String prefix, boolean ofSilent, int count) {
    List<String> found = new ArrayList<>();
    for (int i = 0; found.size() < count; i++) {
      if ((nodeOf(prefix + i) == silent) == ofSilent) {
        found.add(prefix + i);
      }
    }
    return found;
  }

  private CompletableFuture<EnqueueResult> enqueueAsync(String queue) {
    return client
        .enqueueAsync(Task.of("t"), TaskOptions.of(o -> o.queue(queue)))
        .toCompletableFuture();
  }

  private Thread inBackground(Runnable call) {
    Thread thread = new Thread(call, "caller");
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
    return thread;
  }

  @Test
  void anAsyncTaskIsSentWhileMoreQueuesThanThreadsWaitForTheSilentServer() throws Exception {
    List<CompletableFuture<EnqueueResult>> waiting =
        stuck.stream().map(this::enqueueAsync).toList();

    for (int i = 0; i < 100; i++) {
      enqueueAsync(healthy).get(30, TimeUnit.SECONDS).orThrow();
    }

    assertThat(waiting).noneMatch(CompletableFuture::isDone);
  }

  @Test
  void tasksForTheSilentServerDoNotTakeAllPlaces() throws Exception {
    Thread caller =
        inBackground(
            () -> {
              for (int i = 0; i <= MAX_WAITING; i++) {
                var unused = enqueueAsync(stuck.get(i % stuck.size()));
              }
            });
    await().until(() -> caller.getState() == State.WAITING);

    CompletableFuture<CompletableFuture<EnqueueResult>> entered = new CompletableFuture<>();
    inBackground(() -> entered.complete(enqueueAsync(healthy)));

    entered.get(30, TimeUnit.SECONDS).get(30, TimeUnit.SECONDS).orThrow();
    assertThat(caller.isAlive()).isTrue();
  }

  @Test
  void aCallWithALimitIsSentWhileMoreQueuesThanThreadsWaitForTheSilentServer() {
    List<CompletableFuture<EnqueueResult>> waiting =
        stuck.stream().map(this::enqueueAsync).toList();

    for (int i = 0; i < 20; i++) {
      client
          .within(Duration.ofSeconds(30))
          .enqueue(Task.of("t"), TaskOptions.of(o -> o.queue(healthy)))
          .orThrow();
    }

    assertThat(waiting).noneMatch(CompletableFuture::isDone);
  }

  @Test
  void ofAListForSeveralServersWhatHealthyOnesHaveIsSentAtOnce() {
    List<EnqueueRequest> mixed = new ArrayList<>();
    stuck.forEach(
        queue -> mixed.add(EnqueueRequest.of(Task.of("t"), TaskOptions.of(o -> o.queue(queue)))));
    mixed.add(EnqueueRequest.of(Task.of("t"), TaskOptions.of(o -> o.queue(healthy).id("last"))));
    Thread caller = inBackground(() -> client.enqueueAll(mixed));

    EmbeddedRedis node = nodeOf(healthy);
    try (Jedis jedis = new Jedis(node.host(), node.port())) {
      await().until(() -> jedis.exists("asynq:{" + healthy + "}:t:last"));
    }
    assertThat(caller.isAlive()).isTrue();
  }
}
