package io.asynq4j.dashboard.internal.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedCluster;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the dashboard shows while one Redis server of a cluster does not respond. */
class SilentShardPollingIT {

  /** Longer than a test waits: it fails if a look waits for the silent server. */
  private static final Duration VERY_LONG = Duration.ofMinutes(2);

  private static final int QUEUES_PER_NODE = 2;

  private final Map<Integer, List<String>> queuesByNode = new HashMap<>();
  private final List<RedisConnection> opened = new ArrayList<>();
  private EmbeddedCluster cluster;
  private RedisConnection redis;
  private RedisConnection other;
  private TaskClient client;
  private Inspector inspector;

  @BeforeEach
  void start() {
    cluster = EmbeddedCluster.builder().config("cluster-require-full-coverage", "no").start();
    other = RedisConnection.open(cluster.uri());
    client = TaskClient.create(other);
    connect(VERY_LONG);
    for (int i = 0; count() < 3 * QUEUES_PER_NODE; i++) {
      String queue = "q" + i;
      List<String> ofNode = queuesByNode.computeIfAbsent(nodeOf(queue), n -> new ArrayList<>());
      if (ofNode.size() < QUEUES_PER_NODE) {
        ofNode.add(queue);
        enqueue(queue);
      }
    }
  }

  @AfterEach
  void stop() {
    cluster.nodes().forEach(EmbeddedRedis::resume);
    client.close();
    other.close();
    opened.forEach(RedisConnection::close);
    cluster.close();
  }

  /** Has watches made from now on use a connection with this timeout. */
  private void connect(Duration commandTimeout) {
    RedisConnection connection =
        RedisConnection.open(
            RedisConfig.parse(cluster.uri()).toBuilder()
                .commandTimeout(commandTimeout)
                .retryFor(Duration.ZERO)
                .build());
    opened.add(connection);
    redis = connection;
    inspector = Inspector.create(connection);
  }

  private int count() {
    return queuesByNode.values().stream().mapToInt(List::size).sum();
  }

  private int nodeOf(String queue) {
    String server = inspector.queue(queue).redisServer();
    List<EmbeddedRedis> nodes = cluster.nodes();
    for (int i = 0; i < nodes.size(); i++) {
      if (server.endsWith(":" + nodes.get(i).port())) {
        return i;
      }
    }
    throw new AssertionError(queue + " is on " + server);
  }

  private List<String> queuesOf(int node) {
    return Objects.requireNonNull(queuesByNode.get(node));
  }

  private void enqueue(String queue) {
    client.enqueue(Task.of("t"), o -> o.queue(queue)).orThrow();
  }

  private SnapshotPoller watch() {
    SnapshotPoller watch =
        new SnapshotPoller(
            inspector,
            "a test",
            redis.clock(),
            Duration.ofMillis(100),
            SnapshotPoller.QUICK,
            new ThroughputHistory(),
            new QueueSizeHistory(),
            () -> true,
            (before, now) -> {});
    watch.start();
    return watch;
  }

  /** By the names of the queues: sizes of those that can be read, else -1. */
  private static Map<String, Long> readable(RedisSnapshot snapshot) {
    return snapshot.queues().values().stream()
        .collect(Collectors.toMap(QueueRow::name, row -> row.problem() == null ? row.size() : -1L));
  }

  private Map<String, Long> expected(int silent, long ofHealthy, long ofSilent) {
    Map<String, Long> expected = new HashMap<>();
    queuesByNode.forEach(
        (node, queues) ->
            queues.forEach(queue -> expected.put(queue, node == silent ? ofSilent : ofHealthy)));
    return expected;
  }

  /** Node 0 has the names of all queues. */
  @ParameterizedTest
  @CsvSource({"0, 120000", "1, 300", "2, 120000"})
  void queuesOfOtherNodesStayFreshAndThoseOfTheSilentNodeKeepTheirValues(
      int silent, int commandTimeoutMillis) {
    connect(Duration.ofMillis(commandTimeoutMillis));
    try (SnapshotPoller watch = watch()) {
      await().until(() -> readable(watch.fresh()).equals(expected(silent, 1, 1)));
      cluster.nodes().get(silent).pause();

      for (int sizes = 2; sizes <= 4; sizes++) {
        queuesByNode.forEach(
            (node, queues) -> {
              if (node != silent) {
                queues.forEach(this::enqueue);
              }
            });
        Map<String, Long> expected = expected(silent, sizes, -1);
        await().untilAsserted(() -> assertThat(readable(watch.fresh())).isEqualTo(expected));
      }
      assertThat(watch.last().problem()).isNull();
      for (String queue : queuesOf(silent)) {
        QueueRow row = Objects.requireNonNull(watch.last().queues().get(queue));
        assertThat(row.size()).as("the earlier value").isEqualTo(1);
        assertThat(row.problem()).isEqualTo("the Redis server of the queue does not respond");
      }

      cluster.nodes().get(silent).resume();

      await().until(() -> readable(watch.fresh()).equals(expected(silent, 4, 1)));
    }
  }

  @Test
  void thePollFailsWhenNoNodeResponds() {
    try (SnapshotPoller watch = watch()) {
      await().until(() -> readable(watch.fresh()).equals(expected(0, 1, 1)));
      cluster.nodes().forEach(EmbeddedRedis::pause);

      await().until(() -> watch.fresh().problem() != null);
      assertThat(watch.last().queues()).hasSize(count());

      cluster.nodes().forEach(EmbeddedRedis::resume);

      await()
          .until(
              () ->
                  watch.fresh().problem() == null
                      && readable(watch.last()).equals(expected(0, 1, 1)));
    }
  }

  @Test
  void aDashboardThatStartsDuringAnOutageShowsQueuesAndSchedulesOfOtherNodes() {
    // Has neither names of queues nor of schedule entries.
    int silent = 1;
    String healthyQueue = queuesOf(0).get(0);
    String silentQueue = queuesOf(silent).get(0);
    assertThat(
            BrokerConnection.brokerOf(redis)
                .schedules()
                .enroll(
                    List.of(
                        new ScheduleLedger.Entry("a", QueueName.of(healthyQueue), "@daily"),
                        new ScheduleLedger.Entry("b", QueueName.of(silentQueue), "@daily"))))
        .hasSize(2);
    cluster.nodes().get(silent).pause();

    try (SnapshotPoller watch = watch()) {
      await()
          .untilAsserted(
              () -> assertThat(readable(watch.fresh())).isEqualTo(expected(silent, 1, -1)));
      await().until(() -> watch.fresh().schedules().size() == 2);
      List<ScheduleSnapshot> schedules = watch.last().schedules();
      assertThat(schedules.get(0).problem()).isNull();
      assertThat(schedules.get(1).problem())
          .isEqualTo("the Redis server of queue " + silentQueue + " does not respond");
    }
  }
}
