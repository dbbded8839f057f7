package io.asynq4j.dashboard.internal.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskState;
import io.asynq4j.dashboard.DashboardFixture;
import io.asynq4j.lease.TaskLeases;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

/** Which queues without a server count as unserved, and which active tasks as orphaned. */
@SuppressWarnings("NullAway.Init") // Set before each test.
class UnservedQueueCheckIT {

  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  private SnapshotReader reader;
  private RedisSnapshot last = RedisSnapshot.NONE;

  @BeforeEach
  void open() {
    reader = new SnapshotReader(on.inspector, "a test", on.redis.clock());
  }

  @AfterEach
  void close() {
    reader.close();
  }

  private QueueRow poll(String queue) {
    last = reader.read(last);
    return Objects.requireNonNull(last.queues().get(queue));
  }

  private static String enqueueLongAgo(String queue) {
    String id = on.enqueue(queue);
    long since = on.redis.clock().instant().minus(Duration.ofMinutes(6)).getEpochSecond();
    try (Jedis jedis = on.jedis()) {
      jedis.hset("asynq:{" + queue + "}:t:" + id, "pending_since", since + "000000000");
    }
    return id;
  }

  @Test
  void tasksThatNothingClaimsAreReportedAfterFiveMinutesAtTheSecondCheck() {
    on.enqueue("new");
    enqueueLongAgo("mail");

    assertThat(poll("mail").isUnserved()).isFalse();
    assertThat(poll("mail").isUnserved()).isTrue();
    assertThat(poll("mail").isUnserved()).isTrue();
    assertThat(poll("new").isUnserved()).isFalse();

    on.inspector.queue("mail").deleteAll(TaskState.PENDING);
    assertThat(poll("mail").isUnserved()).isFalse();
  }

  @Test
  void aQueueWithALiveLeaseIsServed() {
    on.enqueue("mail");
    TaskLeases.create(on.redis).claim("mail", 1, Duration.ofMinutes(5));
    enqueueLongAgo("mail");

    assertThat(poll("mail").isUnserved()).isFalse();
    assertThat(poll("mail").isUnserved()).isFalse();
    assertThat(poll("mail").orphans()).isZero();
  }

  @Test
  void activeTasksWhoseLeaseHasExpiredAreOrphaned() {
    String id = on.enqueue("mail");
    TaskLeases.create(on.redis).claim("mail", 1, Duration.ofMinutes(5));
    enqueueLongAgo("mail");
    double past = on.redis.clock().instant().getEpochSecond() - 1;
    try (Jedis jedis = on.jedis()) {
      jedis.zadd("asynq:{mail}:lease", past, id);
    }

    assertThat(poll("mail").orphans()).isEqualTo(1);
    assertThat(poll("mail").isUnserved()).isTrue();
  }

  @Test
  void aPollChecksALimitedNumberOfQueuesAndLaterPollsTheOthers() {
    IntStream.range(0, 150).forEach(i -> enqueueLongAgo("q" + i));

    assertThat(unservedAfterPoll()).isZero();
    assertThat(unservedAfterPoll()).isEqualTo(UnservedQueueCheck.MAX_QUEUES_PER_POLL);
    assertThat(unservedAfterPoll()).isEqualTo(UnservedQueueCheck.MAX_QUEUES_PER_POLL);
    assertThat(unservedAfterPoll()).isEqualTo(150);
  }

  private long unservedAfterPoll() {
    last = reader.read(last);
    return last.queues().values().stream().filter(QueueRow::isUnserved).count();
  }
}
