package io.asynq4j.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.inspect.TaskPage;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** Replicas in separate processes, which are killed and suspended at any moment. */
class SchedulerReplicasIT {

  private static final boolean FULL = Boolean.getBoolean("asynq4j.full");
  private static final Duration CHAOS = FULL ? Duration.ofMinutes(2) : Duration.ofSeconds(10);
  private static final int LONGEST_CALM_MILLIS = FULL ? 3_000 : 1_500;

  /** Some sleep for longer than this, and continue as leaders although they no longer are. */
  private static final Duration DISTURBED_LEASE = Duration.ofSeconds(FULL ? 5 : 3);

  private static final int ENTRIES = 200;
  private static final QueueName QUEUE = QueueName.of(SchedulerReplica.QUEUE);

  private EmbeddedRedis server;
  private RedisConnection redis;
  private final List<SchedulerReplica> replicas = new ArrayList<>();

  @BeforeEach
  void start() {
    server = EmbeddedRedis.builder().ephemeral().start();
    redis = RedisConnection.open(server.uri());
  }

  @AfterEach
  void stop() {
    replicas.forEach(SchedulerReplica::kill);
    redis.close();
    server.close();
  }

  private void startReplicas(int count, int entries, Duration lease) {
    for (int i = 0; i < count; i++) {
      replicas.add(SchedulerReplica.start(server.uri(), entries, lease));
    }
    replicas.forEach(SchedulerReplica::awaitReady);
  }

  @Test
  @SuppressWarnings("SystemOut") // the seed, in the report of the test
  void everyInstantIsFiredOnceWhateverHappensToTheReplicas() throws Exception {
    startReplicas(3, ENTRIES, DISTURBED_LEASE);
    long seed = new Random().nextLong();
    System.out.println("the replicas are disturbed with seed " + seed);
    await("the entries have begun").until(() -> known() == ENTRIES && isFiredUntil(Instant.EPOCH));
    Instant begin = redis.clock().instant();

    disturb(new Random(seed));

    Instant end = redis.clock().instant();
    await("all entries are fired for all instants")
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> isFiredUntil(end));
    replicas.forEach(SchedulerReplica::close);
    assertThat(firedInstants())
        .hasSize(ENTRIES)
        .allSatisfy((entry, seconds) -> assertNoGap(entry, seconds, begin, end));
  }

  private int known() {
    return BrokerConnection.brokerOf(redis).schedules().known(broken -> {}).size();
  }

  private void disturb(Random random) throws InterruptedException {
    long end = System.nanoTime() + CHAOS.toNanos();
    while (System.nanoTime() < end) {
      int victim = random.nextInt(replicas.size());
      SchedulerReplica replica = replicas.get(victim);
      if (replica.isAsleep()) {
        replica.wakeUp();
      } else if (random.nextInt(3) == 0) {
        replica.kill();
        replicas.set(victim, SchedulerReplica.start(server.uri(), ENTRIES, DISTURBED_LEASE));
      } else {
        replica.putToSleep();
      }
      // The disturbance is what is tested: how long it lasts is chance.
      TimeUnit.MILLISECONDS.sleep(random.nextInt(100, LONGEST_CALM_MILLIS));
    }
    replicas.stream().filter(SchedulerReplica::isAsleep).forEach(SchedulerReplica::wakeUp);
  }

  private boolean isFiredUntil(Instant end) {
    return BrokerConnection.brokerOf(redis).schedules().known(broken -> {}).stream()
        .map(known -> known.state().last())
        .allMatch(last -> last != null && last.isAfter(end));
  }

  /** Of each entry, the seconds that its tasks stand for, in the order of the queue. */
  private Map<String, List<Long>> firedInstants() {
    Map<String, List<Long>> instants = new TreeMap<>();
    String cursor = null;
    do {
      TaskPage page =
          BrokerConnection.brokerOf(redis)
              .tasks()
              .list(QUEUE, new Listing(TaskState.PENDING, null, false, 0, 1_000, cursor));
      for (TaskInfo task : page.tasks()) {
        String instant = task.headers().getOrDefault(SchedulerReplica.INSTANT, "none");
        instants
            .computeIfAbsent(task.payload().utf8(), entry -> new ArrayList<>())
            .add(Instant.parse(instant).getEpochSecond());
      }
      cursor = page.cursor();
    } while (cursor != null);
    return instants;
  }

  private static void assertNoGap(String entry, List<Long> seconds, Instant begin, Instant end) {
    assertThat(seconds.get(0))
        .as("the first of %s", entry)
        .isLessThanOrEqualTo(begin.getEpochSecond() + 1);
    assertThat(seconds.get(seconds.size() - 1))
        .as("the last of %s", entry)
        .isGreaterThanOrEqualTo(end.getEpochSecond());
    for (int i = 1; i < seconds.size(); i++) {
      assertThat(seconds.get(i)).as("instant %d of %s", i, entry).isEqualTo(seconds.get(i - 1) + 1);
    }
  }

  @Test
  void anotherReplicaTakesOverWhenTheLeaseOfAKilledOneHasEnded() {
    startReplicas(2, 1, Duration.ofSeconds(5));
    String leader = await().until(this::leader, each -> !each.isEmpty());
    SchedulerReplica killed =
        replicas.stream()
            .filter(replica -> leader.contains(":" + replica.pid() + ":"))
            .findFirst()
            .orElseThrow();

    killed.kill();

    assertThat(leaseMillis()).isLessThanOrEqualTo(5_000);
    await().until(this::leader, each -> !each.isEmpty() && !each.equals(leader));
    Instant takeover = redis.clock().instant();
    await().until(() -> isFiredUntil(takeover.minusSeconds(2)));
  }

  /** How long the leader counts as one, unless it extends that. */
  private long leaseMillis() {
    try (Jedis jedis = new Jedis(server.host(), server.port())) {
      return jedis.keys("asynq:scheduler_leader:*").stream().mapToLong(jedis::pttl).max().orElse(0);
    }
  }

  private String leader() {
    try (Jedis jedis = new Jedis(server.host(), server.port())) {
      Set<String> keys = jedis.keys("asynq:scheduler_leader:*");
      String leader = keys.isEmpty() ? null : jedis.get(keys.iterator().next());
      return leader == null ? "" : leader;
    }
  }
}
