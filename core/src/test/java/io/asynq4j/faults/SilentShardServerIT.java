package io.asynq4j.faults;

import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.embedded.EmbeddedCluster;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.fixture.RecordingServerListener;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.GroupAggregator.Aggregated;
import io.asynq4j.server.ServerFixture;
import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServerBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.util.JedisClusterCRC16;

/** Queues on healthy servers of a cluster while one server does not respond. */
class SilentShardServerIT {

  /** More than one shard gets threads to settle on. */
  private static final int QUEUES_PER_SHARD = 6;

  private static final Map<String, EmbeddedRedis> owners = new ConcurrentHashMap<>();

  private static EmbeddedCluster cluster;

  private RedisConnection redis;
  private RedisConnection other;
  private final RecordingServerListener recorder = new RecordingServerListener();
  private final Map<String, AtomicInteger> begun = new ConcurrentHashMap<>();
  private final CountDownLatch release = new CountDownLatch(1);

  @BeforeAll
  static void startCluster() {
    cluster = EmbeddedCluster.builder().config("cluster-require-full-coverage", "no").start();
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @BeforeEach
  void connect() {
    for (EmbeddedRedis node : cluster.nodes()) {
      try (Jedis jedis = new Jedis(node.host(), node.port())) {
        jedis.flushAll();
      }
    }
    redis = RedisConnection.open(cluster.uri());
    other = RedisConnection.open(cluster.uri());
  }

  @AfterEach
  void disconnect() {
    redis.close();
    other.close();
  }

  /** As it was at the start: a silent server cannot be asked. */
  private static EmbeddedRedis nodeOf(String key) {
    return owners.computeIfAbsent(key, any -> cluster.nodeOf(JedisClusterCRC16.getSlot(key)));
  }

  /** Names of queues of one server, or of the others. */
  private static List<String> queues(EmbeddedRedis node, boolean ofIt) {
    Map<EmbeddedRedis, List<String>> byNode = new HashMap<>();
    for (int i = 0; byNode.values().stream().mapToInt(List::size).sum() < 60; i++) {
      byNode.computeIfAbsent(nodeOf("asynq:{q" + i + "}:"), any -> new ArrayList<>()).add("q" + i);
    }
    return byNode.entrySet().stream()
        .filter(entry -> entry.getKey() == node == ofIt)
        .flatMap(entry -> entry.getValue().stream().limit(QUEUES_PER_SHARD))
        .toList();
  }

  private static TaskServerBuilder serving(TaskServerBuilder server, Map<String, Integer> weights) {
    weights.forEach(server::queue);
    return server;
  }

  private static Map<String, Integer> weights(List<String> some, List<String> others) {
    Map<String, Integer> weights = new HashMap<>();
    Stream.concat(some.stream(), others.stream()).forEach(queue -> weights.put(queue, 1));
    return weights;
  }

  private void enqueue(String queue, String id, UnaryOperator<TaskOptions.Builder> more) {
    TaskOptions options =
        TaskOptions.of(
            o -> more.apply(o.id(id).queue(queue).retention(Duration.ofHours(1)).maxRetry(3)));
    assertThat(
            BrokerConnection.brokerOf(other)
                .enqueueing()
                .enqueue(List.of(NewTask.of(Task.of("t"), options, other.clock().instant()))))
        .containsExactly(EnqueueReply.ENQUEUED);
  }

  private void enqueue(String queue, String id) {
    enqueue(queue, id, options -> options);
  }

  /** Counts the attempts of each task. Tasks that start with "long" end on request. */
  private TaskServerBuilder server() {
    return server(redis);
  }

  private TaskServerBuilder server(RedisConnection connection) {
    return ServerFixture.quick(
            connection,
            (task, context) -> {
              begun.computeIfAbsent(context.id(), any -> new AtomicInteger()).incrementAndGet();
              if (context.id().startsWith("long")) {
                release.await();
              }
              return Outcome.done();
            })
        .concurrency(40)
        .listener(recorder);
  }

  /** Past the library, which would look for the queue in the registry first. */
  private static String state(String queue, String id) {
    EmbeddedRedis node = nodeOf("asynq:{" + queue + "}:");
    try (Jedis jedis = new Jedis(node.host(), node.port())) {
      return String.valueOf(jedis.hget("asynq:{" + queue + "}:t:" + id, "state"));
    }
  }

  /** The seconds at which the leases of the long tasks end; none of them has ended. */
  private static Map<String, Double> leases(List<String> queues) {
    Map<String, Double> ends = new HashMap<>();
    for (String queue : queues) {
      EmbeddedRedis node = nodeOf("asynq:{" + queue + "}:");
      try (Jedis jedis = new Jedis(node.host(), node.port())) {
        Double end = jedis.zscore("asynq:{" + queue + "}:lease", "long" + queue);
        List<String> now = jedis.time();
        assertThat(end).as("lease in " + queue).isNotNull();
        assertThat(end)
            .as("lease in " + queue)
            .isGreaterThan(Double.parseDouble(now.get(0)) + Double.parseDouble(now.get(1)) / 1e6);
        ends.put(queue, end);
      }
    }
    return ends;
  }

  private void awaitCompleted(List<String> queues, String... prefixes) {
    soon(
        () -> {
          for (String queue : queues) {
            for (String prefix : prefixes) {
              assertThat(state(queue, prefix + queue)).as(prefix + queue).isEqualTo("completed");
            }
          }
        });
  }

  /** The server of a key that belongs to no queue and that all processes use. */
  @ParameterizedTest
  @ValueSource(strings = {"asynq:queues", "asynq:servers", "asynq:workers"})
  void tasksOfHealthyServersAreExecutedWhileOneIsSilent(String keyOfSilent) {
    EmbeddedRedis silent = nodeOf(keyOfSilent);
    List<String> healthy = queues(silent, false);
    List<String> stuck = queues(silent, true);
    try (TaskServer server = serving(server(), weights(healthy, stuck)).build()) {
      server.start();
      Stream.concat(healthy.stream(), stuck.stream()).forEach(queue -> enqueue(queue, "a" + queue));
      awaitCompleted(healthy, "a");
      awaitCompleted(stuck, "a");
      stuck.forEach(queue -> enqueue(queue, "long" + queue));
      soon(() -> stuck.forEach(queue -> assertThat(begun).containsKey("long" + queue)));
      silent.pause();
      try {
        // Attempts that cannot be settled do not delay the settlement of others.
        release.countDown();
        for (String queue : healthy) {
          enqueue(queue, "b" + queue);
          enqueue(queue, "c" + queue, o -> o.processIn(Duration.ofSeconds(1)));
        }

        awaitCompleted(healthy, "b", "c");

        // By now, each duty of the server has called the silent server.
        healthy.forEach(queue -> enqueue(queue, "d" + queue));
        awaitCompleted(healthy, "d");
      } finally {
        silent.resume();
      }
      stuck.forEach(queue -> enqueue(queue, "e" + queue));
      awaitCompleted(stuck, "long", "e");
    }
    assertThat(begun.values()).allSatisfy(count -> assertThat(count).hasValue(1));
  }

  @Test
  void groupsOfHealthyServersAreAggregatedWhileMoreThanThereAreThreadsForWaitForASilentOne() {
    EmbeddedRedis silent = nodeOf("asynq:servers");
    String healthy = queues(silent, false).get(0);
    String stuck = queues(silent, true).get(0);
    // Each of them would keep a thread for as long as a call to Redis lasts.
    for (int i = 0; i < 300; i++) {
      String group = "g" + i;
      enqueue(stuck, "a" + i, o -> o.group(group));
    }
    Set<String> aggregated = ConcurrentHashMap.newKeySet();
    try (TaskServer server =
        server()
            .queue(healthy, 1)
            .queue(stuck, 1)
            .groups(
                groups ->
                    groups
                        .aggregator(
                            (queue, group, tasks) -> {
                              aggregated.add(queue + " " + group);
                              if (queue.value().equals(stuck)) {
                                release.await();
                              }
                              return Aggregated.of(Task.of("batch"));
                            })
                        .maxSize(1))
            .build()) {
      server.start();
      // All threads: the set of a group whose reply is lost returns only after its time limit.
      soon(() -> assertThat(aggregated).hasSize(3));
      silent.pause();
      try {
        release.countDown();
        enqueue(healthy, "b", o -> o.group("g"));

        soon(() -> assertThat(aggregated).contains(healthy + " g"));
      } finally {
        silent.resume();
      }
      soon(() -> assertThat(aggregated).hasSize(301));
    }
  }

  @Test
  void leasesOnHealthyServersAreKeptWhileOneIsSilent() {
    EmbeddedRedis silent = nodeOf("asynq:servers");
    List<String> healthy = queues(silent, false);
    List<String> stuck = queues(silent, true);
    Map<String, Integer> weights = weights(healthy, stuck);
    // The second server would recover tasks whose lease the first one loses.
    try (TaskServer first = serving(server(redis), weights).build();
        TaskServer second = serving(server(other), weights).build()) {
      first.start();
      second.start();
      Stream.concat(healthy.stream(), stuck.stream())
          .forEach(queue -> enqueue(queue, "long" + queue));
      soon(() -> assertThat(begun).hasSize(weights.size()));
      Instant before = other.clock().instant();
      silent.pause();
      try {
        Map<String, Double> atFirst = leases(healthy);
        Map<String, Double> last = atFirst;
        // Four leases long: a lease that is not extended ends, and the recoverer takes the task.
        while (other.clock().instant().isBefore(before.plusSeconds(12))) {
          last = leases(healthy);
        }

        assertThat(last)
            .allSatisfy(
                (queue, end) ->
                    assertThat(end).as(queue).isGreaterThan(atFirst.getOrDefault(queue, 1e12) + 6));
        assertThat(recorder.lines("leaseLost")).isEmpty();
        assertThat(recorder.lines("recovered")).isEmpty();
        release.countDown();
        awaitCompleted(healthy, "long");
        healthy.forEach(queue -> assertThat(begun.get("long" + queue)).hasValue(1));
      } finally {
        silent.resume();
      }
    }
  }

  @Test
  void tasksForNewQueuesOfHealthyServersAreEnqueuedWhileTheServerOfTheRegistryIsSilent() {
    EmbeddedRedis silent = nodeOf("asynq:queues");
    List<String> healthy = queues(silent, false);
    silent.pause();
    try {
      healthy.forEach(queue -> enqueue(queue, "a" + queue));
      healthy.forEach(queue -> assertThat(state(queue, "a" + queue)).isEqualTo("pending"));
    } finally {
      silent.resume();
    }
    soon(() -> assertThat(BrokerConnection.brokerOf(other).queues().names()).containsAll(healthy));
  }

  @Test
  void tasksForNewQueuesOfHealthyServersAreEnqueuedWhileTheServerOfTheRegistryIsFull() {
    EmbeddedRedis full = nodeOf("asynq:queues");
    List<String> healthy = queues(full, false);
    try (Jedis jedis = new Jedis(full.host(), full.port())) {
      jedis.configSet("maxmemory", "1");
      try {
        healthy.forEach(queue -> enqueue(queue, "a" + queue));
        healthy.forEach(queue -> assertThat(state(queue, "a" + queue)).isEqualTo("pending"));
      } finally {
        jedis.configSet("maxmemory", "0");
      }
    }
    soon(() -> assertThat(BrokerConnection.brokerOf(other).queues().names()).containsAll(healthy));
  }
}
