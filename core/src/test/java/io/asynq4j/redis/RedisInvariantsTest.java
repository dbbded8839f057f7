package io.asynq4j.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.broker.NewTask;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** That {@link RedisInvariants} sees what is wrong, and nothing else. */
class RedisInvariantsTest {

  private final SortedMap<String, RedisSnapshot.Entry> keys = new TreeMap<>();

  /** Two tasks of queue q: a is pending, b is active. */
  @BeforeEach
  void aHealthyQueue() {
    keys.put("asynq:queues", entry("set", -1, "q"));
    put("pending", "list", "a");
    put("active", "list", "b");
    put("lease", "zset", "b", "1700000015.123456");
    record("a", "q", "a", "state", "pending", "pending_since", "1700000000000000000");
    record("b", "q", "b", "state", "active", "claim", "123456-xyz");
    put("processed", "string", "5");
    put("failed", "string", "5");
    keys.put("asynq:{q}:unique:t:", entry("string", 1000, "gone"));
    keys.put("asynq:{q}:lane:1", entry("string", 1000, "1:x"));
  }

  @Test
  void aHealthyQueueViolatesNothing() {
    assertThat(violations()).isEmpty();
  }

  static List<GoldenFile> golden() {
    return GoldenFile.all();
  }

  @ParameterizedTest
  @MethodSource("golden")
  void whatTheOriginalLeavesHoldsThem(GoldenFile golden) {
    List<String> violations = RedisInvariants.violations(golden.snapshot());

    if (golden.name().equals("queue-removed-by-force")) {
      assertThat(violations)
          .containsExactly("I7 in queue default: the queue has tasks and is not registered");
    } else {
      assertThat(violations).isEmpty();
    }
  }

  @Test
  void i1_anIdWithoutARecord() {
    put("retry", "zset", "x", "1");

    assertThat(violations()).containsExactly("I1 in queue q: x in retry has no record");
  }

  @Test
  void i1_aRecordWithoutAMessage() {
    put("t:a", "hash", "state", "pending");

    assertThat(violations()).containsExactly("I1 in queue q: a in pending has no message");
  }

  @Test
  void i1_aMessageOfAnotherTask() {
    record("a", "q", "c", "state", "pending");

    assertThat(violations())
        .containsExactly(
            "I1 in queue q: a in pending is unreadable: its message says it is task \"c\" of queue"
                + " \"q\"");
  }

  @Test
  void i1_aStateThatIsNotTheContainers() {
    record("a", "q", "a", "state", "retry");

    assertThat(violations()).containsExactly("I1 in queue q: a in pending has state retry");
  }

  @Test
  void i2_anIdInTwoContainersOrTwiceInOne() {
    put("pending", "list", "a", "a");
    put("archived", "zset", "a", "1700000000");

    assertThat(violations())
        .containsExactlyInAnyOrder(
            "I2 in queue q: a is in pending and in pending",
            "I2 in queue q: a is in pending and in archived",
            "I1 in queue q: a in archived has state pending");
  }

  @Test
  void i2_anActiveTaskWithoutALeaseAndALeaseWithoutAnActiveTask() {
    put("lease", "zset", "a", "1700000015");

    assertThat(violations())
        .containsExactly(
            "I2 in queue q: a has a lease and is not active",
            "I2 in queue q: b is active and has no lease");
  }

  @Test
  void i2_aLeaseOfAnotherClaim() {
    put("lease", "zset", "b", "1700000015.654321");

    assertThat(violations())
        .containsExactly(
            "I2 in queue q: b has lease 1700000015.654321 of another claim than 123456-xyz");
  }

  @Test
  void aGoWorkersLeaseIsAWholeNumberAndNeedsNoClaim() {
    put("lease", "zset", "b", "1700000030");
    record("b", "q", "b", "state", "active");

    assertThat(violations()).isEmpty();
  }

  @Test
  void i2_aRecordInNoContainer() {
    keys.remove("asynq:{q}:pending");

    assertThat(violations())
        .containsExactly(
            "I2 in queue q: a has a record and is in no container, with state pending");
  }

  @Test
  void i3_fieldsThatBelongToAnotherState() {
    record("b", "q", "b", "state", "active", "claim", "123456-xyz", "pending_since", "1");
    record("a", "q", "a", "state", "pending", "claim", "1");

    assertThat(violations())
        .containsExactly(
            "I3 in queue q: a is pending and has claim",
            "I3 in queue q: b is active and has pending_since");
  }

  @Test
  void i4_aLockThatNeverEnds() {
    put("unique:t:", "string", "gone");

    assertThat(violations()).containsExactly("I4 in queue q: unique:t: of gone never ends");
  }

  @Test
  void i5_aGroupThatIsNotListed() {
    put("g:g1", "zset", "c", "1700000000");
    record("c", "q", "c", "state", "aggregating", "group", "g1");

    assertThat(violations()).containsExactly("I5 in queue q: group g1 holds [c] and is not listed");
  }

  @Test
  void aSetUnderAggregationNeedsNoListedGroup() {
    put("g:g:1:set", "zset", "c", "1700000000");
    put("aggregation_sets", "zset", "asynq:{q}:g:g:1:set", "1700000120");
    record("c", "q", "c", "state", "aggregating", "group", "g:1");

    assertThat(violations()).isEmpty();
  }

  @Test
  void aggregatedTasksWaitToBeSwept() {
    put("spent", "set", "set");
    put("spent:set", "zset", "c", "1700000000");
    record("c", "q", "c", "state", "aggregating", "group", "g1");

    assertThat(violations()).isEmpty();
  }

  @Test
  void i6_moreFailedThanProcessed() {
    put("failed", "string", "6");

    assertThat(violations()).containsExactly("I6 in queue q: failed is 6 and processed 5");
  }

  @Test
  void i6_aCounterOfADayThatNeverEnds() {
    put("processed:2026-11-15", "string", "1");

    assertThat(violations()).containsExactly("I6 in queue q: processed:2026-11-15 never ends");
  }

  @Test
  void i7_aQueueThatIsNotRegistered() {
    keys.remove("asynq:queues");

    assertThat(violations())
        .containsExactly("I7 in queue q: the queue has tasks and is not registered");
  }

  @Test
  void i8_anArchiveThatIsTooLarge() {
    String[] archived = new String[20_000];
    for (int i = 0; i < 10_000; i++) {
      archived[2 * i] = "old" + i;
      archived[2 * i + 1] = "1700000000";
      record("old" + i, "q", "old" + i, "state", "archived");
    }
    put("archived", "zset", archived);

    assertThat(violations()).containsExactly("I8 in queue q: the archive holds 10000");
  }

  @Test
  void aKeyThatNobodyKnows() {
    put("deadlines", "zset", "a", "1");

    assertThat(violations()).containsExactly("I0 in queue q: nobody knows the key deadlines");
  }

  private List<String> violations() {
    return RedisInvariants.violations(new RedisSnapshot(0, keys));
  }

  private void put(String word, String type, String... values) {
    keys.put("asynq:{q}:" + word, entry(type, -1, values));
  }

  /** A record with a message that says it is a task of a queue. */
  private void record(String id, String queue, String idInMessage, String... fields) {
    NewTask task =
        NewTask.of(
            Task.of("t", Payload.absent()),
            TaskOptions.of(o -> o.queue(queue).id(idInMessage)),
            Instant.EPOCH);
    RedisSnapshot.Entry entry = entry("hash", -1, fields);
    List<byte[]> values = new ArrayList<>(entry.values());
    values.add("msg".getBytes(StandardCharsets.UTF_8));
    values.add(MessageCodec.encode(task.message()));
    keys.put(RedisKeys.task(QueueName.of("q"), id), new RedisSnapshot.Entry("hash", -1, values));
  }

  private static RedisSnapshot.Entry entry(String type, long ttlMillis, String... values) {
    return new RedisSnapshot.Entry(
        type,
        ttlMillis,
        Arrays.stream(values).map(value -> value.getBytes(StandardCharsets.UTF_8)).toList());
  }
}
