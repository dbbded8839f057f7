package io.asynq4j.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.embedded.EmbeddedCluster;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.broker.ScheduleStore;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.MissedPolicy;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.schedule.SchedulerListener;
import io.asynq4j.schedule.SchedulerListener.Firing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.util.JedisClusterCRC16;

/** Schedule entries on healthy servers of a cluster while one server does not respond. */
class SilentShardSchedulerIT {

  private static final String INSTANT = "instant";
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Longer than a test waits: it fails if one call to the silent server blocks the scheduler. */
  private static final Duration BLOCKING = Duration.ofSeconds(60);

  private static EmbeddedCluster cluster;

  /** Two queues of each primary, as it was at the start: a silent server cannot be asked. */
  private static final Map<EmbeddedRedis, List<String>> queues = new LinkedHashMap<>();

  private static EmbeddedRedis nodeOfEntryList;

  private final Map<String, Set<Instant>> enqueued = new ConcurrentHashMap<>();
  private final Set<Thread> listenerThreads = ConcurrentHashMap.newKeySet();
  private final List<AutoCloseable> opened = new ArrayList<>();

  @BeforeAll
  static void startCluster() {
    cluster = EmbeddedCluster.builder().config("cluster-require-full-coverage", "no").start();
    nodeOfEntryList = nodeOf("asynq:schedules");
    for (int i = 0;
        queues.size() < 3 || queues.values().stream().anyMatch(q -> q.size() < 2);
        i++) {
      List<String> ofNode =
          queues.computeIfAbsent(nodeOf("asynq:{q" + i + "}:"), any -> new ArrayList<>());
      if (ofNode.size() < 2) {
        ofNode.add("q" + i);
      }
    }
  }

  private static EmbeddedRedis nodeOf(String key) {
    return cluster.nodeOf(JedisClusterCRC16.getSlot(key));
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @BeforeEach
  void flush() {
    for (EmbeddedRedis node : cluster.nodes()) {
      try (Jedis jedis = new Jedis(node.host(), node.port())) {
        jedis.flushAll();
      }
    }
  }

  @AfterEach
  void close() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  private RedisConnection connect(Duration commandTimeout) {
    RedisConfig config =
        RedisConfig.parse(cluster.uri() + "?commandTimeout=" + commandTimeout.toSeconds() + "s");
    RedisConnection redis = RedisConnection.open(config);
    opened.add(redis);
    return redis;
  }

  /** An entry that fires each second and makes up for what it missed, for each queue. */
  private Scheduler scheduler(RedisConnection redis, Duration lease) {
    Scheduler.Builder builder =
        Scheduler.builder(redis)
            .instantHeader(INSTANT)
            .heartbeat(Duration.ofSeconds(1))
            .leaderLease(lease)
            .listener(
                new SchedulerListener() {
                  @Override
                  public void enqueued(Firing firing) {
                    listenerThreads.add(Thread.currentThread());
                    enqueued
                        .computeIfAbsent(
                            firing.entry().name(), any -> new ConcurrentSkipListSet<>())
                        .add(firing.instant());
                  }
                });
    allQueues().forEach(queue -> builder.add(entry(queue)));
    Scheduler scheduler = builder.build();
    opened.add(scheduler);
    return scheduler;
  }

  private static ScheduleEntry entry(String queue) {
    return ScheduleEntry.of(queue, Schedule.of("@every 1s"), Task.of("t"))
        .with(o -> o.queue(queue))
        .missed(MissedPolicy.runAll(1_000));
  }

  private static List<String> allQueues() {
    return queues.values().stream().flatMap(List::stream).toList();
  }

  private static List<String> queuesOf(EmbeddedRedis node) {
    return queues.getOrDefault(node, List.of());
  }

  private static List<String> queuesOfOthers(EmbeddedRedis node) {
    return queues.entrySet().stream()
        .filter(entry -> entry.getKey() != node)
        .flatMap(entry -> entry.getValue().stream())
        .toList();
  }

  private static void soon(ThrowingRunnable assertion) {
    await().atMost(LIMIT).untilAsserted(assertion);
  }

  /** Each of the entries has fired for an instant after this one. */
  private void awaitFiredAfter(Instant instant, List<String> names) {
    soon(
        () ->
            assertThat(names)
                .allSatisfy(
                    name ->
                        assertThat(enqueued.getOrDefault(name, Set.of()))
                            .anySatisfy(fired -> assertThat(fired).isAfter(instant))));
  }

  private static List<Instant> instantsInRedis(RedisConnection redis, String queue) {
    return BrokerConnection.brokerOf(redis)
        .tasks()
        .list(QueueName.of(queue), Listing.first(TaskState.PENDING, 1_000))
        .tasks()
        .stream()
        .map(task -> Instant.parse(task.headers().getOrDefault(INSTANT, "")))
        .toList();
  }

  private static void assertEachSecondOnce(List<Instant> instants) {
    Instant first = instants.get(0);
    assertThat(instants)
        .containsExactlyElementsOf(
            Stream.iterate(first, instant -> instant.plusSeconds(1))
                .limit(instants.size())
                .toList());
  }

  /** Each primary has some of the keys that belong to no queue. */
  @ParameterizedTest
  @CsvSource({"0, 60", "1, 1", "2, 60"})
  void entriesOnHealthyServersFireWhileOneServerIsSilent(int index, int commandTimeoutSeconds) {
    EmbeddedRedis silent = List.copyOf(queues.keySet()).get(index);
    List<String> healthy = queuesOfOthers(silent);
    Duration commandTimeout = Duration.ofSeconds(commandTimeoutSeconds);
    RedisConnection redis = connect(commandTimeout);
    RedisConnection other = connect(commandTimeout);
    Scheduler first = scheduler(redis, Duration.ofSeconds(5));
    Scheduler second = scheduler(other, Duration.ofSeconds(5));
    first.start();
    second.start();
    awaitFiredAfter(Instant.MIN, allQueues());
    Instant paused = redis.clock().instant();
    silent.pause();
    try {
      // Several rounds and looks at all entries long, and longer than the leader's lease.
      awaitFiredAfter(paused.plusSeconds(7), healthy);
    } finally {
      silent.resume();
    }
    awaitFiredAfter(redis.clock().instant(), allQueues());
    first.stop();
    second.stop();
    for (String queue : allQueues()) {
      assertEachSecondOnce(instantsInRedis(redis, queue));
    }
    assertThat(listenerThreads).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void anEntryThatIsAddedWhileAnotherServerIsSilentFires() {
    EmbeddedRedis silent =
        queues.keySet().stream().filter(node -> node != nodeOfEntryList).findFirst().orElseThrow();
    RedisConnection redis = connect(BLOCKING);
    Scheduler scheduler = scheduler(redis, Duration.ofSeconds(5));
    scheduler.start();
    awaitFiredAfter(Instant.MIN, allQueues());
    silent.pause();
    try {
      scheduler.add(
          ScheduleEntry.of("added", Schedule.of("@every 1s"), Task.of("t"))
              .with(o -> o.queue(queuesOfOthers(silent).get(0))));

      awaitFiredAfter(redis.clock().instant(), List.of("added"));
    } finally {
      silent.resume();
    }
  }

  @Test
  void anEntryThatComesFromASilentServerKeepsNoOtherNewEntryFromFiring() {
    EmbeddedRedis silent =
        queues.keySet().stream().filter(node -> node != nodeOfEntryList).findFirst().orElseThrow();
    String target = queuesOfOthers(silent).get(0);
    RedisConnection redis = connect(Duration.ofSeconds(1));
    BrokerConnection.brokerOf(redis)
        .schedules()
        .enroll(
            List.of(
                new ScheduleLedger.Entry(
                    "moved", QueueName.of(queuesOf(silent).get(0)), "@every 1s")));
    Scheduler scheduler = scheduler(redis, Duration.ofSeconds(5));
    scheduler.start();
    awaitFiredAfter(Instant.MIN, allQueues());
    silent.pause();
    try {
      for (String name : List.of("moved", "new")) {
        scheduler.add(
            ScheduleEntry.of(name, Schedule.of("@every 1s"), Task.of("t"))
                .with(o -> o.queue(target)));
      }

      awaitFiredAfter(redis.clock().instant(), List.of("new"));
    } finally {
      silent.resume();
    }
    awaitFiredAfter(redis.clock().instant(), List.of("moved"));
  }

  @Test
  void entriesOnHealthyServersAreListedWhileOneServerIsSilent() {
    EmbeddedRedis silent =
        queues.keySet().stream().filter(node -> node != nodeOfEntryList).findFirst().orElseThrow();
    ScheduleStore schedules = BrokerConnection.brokerOf(connect(BLOCKING)).schedules();
    schedules.enroll(
        allQueues().stream()
            .map(queue -> new ScheduleLedger.Entry(queue, QueueName.of(queue), "@daily"))
            .toList());
    silent.pause();
    try {
      // Repeated, since healthy servers answer late on a busy machine.
      soon(
          () -> {
            Map<String, String> unreadable = new LinkedHashMap<>();
            assertThat(schedules.known(entry -> unreadable.put(entry.name(), entry.reason())))
                .extracting(known -> known.entry().name())
                .containsExactlyElementsOf(queuesOfOthers(silent).stream().sorted().toList());
            assertThat(unreadable).containsOnlyKeys(queuesOf(silent));
            unreadable.forEach(
                (queue, reason) ->
                    assertThat(reason)
                        .isEqualTo("the Redis server of queue " + queue + " does not respond"));
          });
    } finally {
      silent.resume();
    }
    soon(() -> assertThat(schedules.known(broken -> {})).hasSize(allQueues().size()));
  }

  @Test
  void aSchedulerThatStopsWhileAServerIsSilentResigns() {
    RedisConnection redis = connect(BLOCKING);
    // The leader's key does not end by itself.
    Scheduler scheduler = scheduler(redis, Duration.ofMinutes(1));
    scheduler.start();
    awaitFiredAfter(Instant.MIN, allQueues());
    EmbeddedRedis ofLeader =
        queues.keySet().stream().filter(node -> !leaders(node).isEmpty()).findFirst().orElseThrow();
    EmbeddedRedis silent =
        queues.keySet().stream().filter(node -> node != ofLeader).findFirst().orElseThrow();
    Instant paused = redis.clock().instant();
    silent.pause();
    try {
      awaitFiredAfter(paused.plusSeconds(2), queuesOfOthers(silent));

      scheduler.stop();

      assertThat(scheduler.isLeading()).isFalse();
      assertThat(leaders(ofLeader)).isEmpty();
    } finally {
      silent.resume();
    }
  }

  private static Set<String> leaders(EmbeddedRedis node) {
    try (Jedis jedis = new Jedis(node.host(), node.port())) {
      return jedis.keys("*").stream()
          .filter(key -> key.startsWith("asynq:scheduler_leader:"))
          .collect(Collectors.toSet());
    }
  }
}
