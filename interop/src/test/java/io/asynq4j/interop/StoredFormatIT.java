package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.Payload;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.interop.peer.GoPeer.Answer;
import io.asynq4j.interop.peer.GoPrograms;
import io.asynq4j.interop.peer.GoTask;
import io.asynq4j.interop.peer.GoTaskInfo;
import io.asynq4j.interop.peer.GoVersion;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** For equal input, both sides store the same bytes in Redis. */
@ForEachSetup
class StoredFormatIT extends InteropTestBase {

  private static final Duration DAY = Duration.ofDays(1);

  /** Tasks with each option, and with many; those that go can enqueue. */
  private List<GoTask> inputs() {
    return inputs(setting.go().knowsHeaders());
  }

  private List<GoTask> inputs(boolean withHeaders) {
    Instant later = redis.clock().instant().truncatedTo(ChronoUnit.SECONDS).plus(HOUR);
    List<GoTask> inputs =
        new ArrayList<>(
            List.of(
                GoTask.of("plain", "x").build(),
                GoTask.of("no payload", Payload.absent()).build(),
                GoTask.of("empty payload", Payload.of(new byte[0])).build(),
                GoTask.of("binary", Payload.of(new byte[] {0, -1, 10, 13, -128})).build(),
                GoTask.of("große 日本", "größe 日本").type("größe:日本").build(),
                GoTask.of("no retry", "x").maxRetry(0).build(),
                GoTask.of("retries", "x").maxRetry(7).build(),
                GoTask.of("timeout", "x").timeout(Duration.ofSeconds(90)).build(),
                GoTask.of("deadline", "x").deadline(later).build(),
                GoTask.of("both", "x").timeout(HOUR).deadline(later).build(),
                GoTask.of("unique", "unique").unique(HOUR).build(),
                GoTask.of("unique, no payload", Payload.absent()).unique(HOUR).build(),
                GoTask.of("unique, empty", Payload.of(new byte[0])).unique(HOUR).build(),
                GoTask.of("at", "x").processAt(later).build(),
                GoTask.of("in", "x").processIn(HOUR).build(),
                GoTask.of("unique at", "unique at").processAt(later).unique(HOUR).build(),
                GoTask.of("kept", "x").retention(DAY).build(),
                GoTask.of("grouped", "x").group(GROUP).build(),
                GoTask.of("grouped, unique", "grouped").group(GROUP).unique(HOUR).build(),
                GoTask.of("grouped at", "x").group(GROUP).processAt(later).build()));
    GoTask.Builder all =
        GoTask.of("all", "all")
            .type("all:options")
            .maxRetry(3)
            .timeout(HOUR)
            .deadline(later.plus(DAY))
            .unique(HOUR)
            .processAt(later)
            .retention(DAY);
    if (withHeaders) {
      inputs.add(GoTask.of("header", "x").headers(Map.of("trace", "00-1")).build());
      inputs.add(
          GoTask.of("headers", "x").headers(Map.of("a", "1", "leer", "", "Ünï", "日本")).build());
      all.headers(Map.of("trace", "00-1"));
    }
    inputs.add(all.build());
    return inputs;
  }

  @Test
  void equalTasksAreEqualBytes() {
    List<GoTask> inputs = inputs();
    assertThat(goEnqueues(inputs)).extracting(Answer::status).containsOnly("enqueued");

    // With these, a scheduled task finds its group, and a grouped one its lock.
    assertWeLeaveTheSame(inputs, Set.of("t:grouped at/group", "t:grouped, unique/unique_key"));
  }

  /** Go cannot have them unique or grouped there. */
  @Test
  void tasksThatGoEnqueuesTogetherAreEqualBytesToo() {
    Assumptions.assumeTrue(setting.go().batches(), StoredFormatIT::whyThereIsNoBatch);
    List<GoTask> inputs =
        inputs().stream().filter(task -> task.unique() == 0 && task.group().isEmpty()).toList();
    assertThat(inputs).extracting(StoredFormatIT::stateOf).contains(TaskState.SCHEDULED);
    assertThat(peer.enqueueTogether(inputs))
        .extracting(Answer::id)
        .isEqualTo(inputs.stream().map(GoTask::id).toList());

    assertWeLeaveTheSame(inputs, Set.of());
  }

  private static String whyThereIsNoBatch() {
    String why = "batch enqueue: only in the newest commit, which ";
    if (!InteropSetup.FULL) {
      return why + "is tested in ./check --full, where the module proxy gives it";
    }
    String missing = GoPrograms.missing(GoVersion.NEWEST_COMMIT);
    return why + (missing == null ? "is tested beside this one" : "cannot be had: " + missing);
  }

  /** As Go did, on an empty Redis. */
  private void assertWeLeaveTheSame(List<GoTask> inputs, Set<String> oursAlone) {
    QueueDump go = dump();
    store.clear();
    assertThat(weEnqueue(inputs)).allMatch(EnqueueResult::isEnqueued);

    // Deadlines are in the message, and compared with it.
    Set<String> given =
        inputs.stream()
            .filter(task -> task.processAt() != 0)
            .map(task -> "scheduled/" + task.id())
            .collect(Collectors.toSet());
    assertThat(given).isNotEmpty();
    QueueDump.assertSame(dump().withGiven(given), go.withGiven(given), oursAlone);
  }

  /** But for deadlines: nothing may run beyond them. */
  @Test
  void fractionsOfASecondAreTruncatedByGoAndRoundedUpByJava() {
    Duration odd = Duration.ofMillis(1500);
    Instant later = redis.clock().instant().truncatedTo(ChronoUnit.SECONDS).plus(HOUR);
    for (Side side : Side.values()) {
      store.clear();
      Instant before = Instant.now();
      enqueue(
          side,
          List.of(
              GoTask.of("timeout", "x").timeout(odd).build(),
              GoTask.of("deadline", "x").deadline(later.plusMillis(500)).build(),
              GoTask.of("kept", "x").retention(odd).build(),
              GoTask.of("at", "x").processAt(later.plusMillis(500)).build(),
              GoTask.of("unique", "unique")
                  .unique(Duration.ofMillis(HOUR.toMillis() + 500))
                  .build()));

      int more = side == Side.GO ? 0 : 1;
      assertThat(task("timeout").timeout()).isEqualTo(Duration.ofSeconds(1 + more));
      assertThat(task("deadline").deadline()).isEqualTo(later);
      assertThat(task("kept").retention()).isEqualTo(Duration.ofSeconds(1 + more));
      assertThat(task("at").nextProcessAt()).isEqualTo(later.plusSeconds(more));
      try (Jedis jedis = jedis()) {
        long left = jedis.pttl(task("unique").uniqueKey());
        long passed = Duration.between(before, Instant.now()).toMillis() + 1;
        long lock = HOUR.toMillis() + more * 1000L;
        assertThat(left).isBetween(lock - passed, lock);
      }
    }
  }

  @Test
  void neitherSideAcceptsALockShorterThanASecond() {
    GoTask brief = GoTask.of("brief", "x").unique(Duration.ofMillis(999)).build();

    assertThatThrownBy(() -> goEnqueues(brief)).hasMessageContaining("less than 1s");
    assertThatThrownBy(() -> weEnqueue(brief)).hasMessageContaining("1 second or longer");
  }

  @Test
  void bothListTasksEnqueuedByGoWithEqualValues() {
    List<GoTask> inputs = inputs();
    assertThat(goEnqueues(inputs)).extracting(Answer::status).containsOnly("enqueued");

    assertBothListThem(inputs);
  }

  @Test
  void bothListTasksEnqueuedByJavaWithEqualValuesExceptHeadersUnknownToGo() {
    List<GoTask> inputs = inputs(/* withHeaders= */ true);
    assertThat(weEnqueue(inputs)).allMatch(EnqueueResult::isEnqueued);

    assertBothListThem(inputs);
  }

  private void assertBothListThem(List<GoTask> inputs) {
    for (TaskState state : List.of(TaskState.PENDING, TaskState.SCHEDULED, TaskState.AGGREGATING)) {
      List<GoTaskInfo> expected =
          inputs.stream()
              .filter(task -> stateOf(task) == state && task.processIn() == 0)
              .map(task -> GoTaskInfo.expected(task, state))
              .toList();
      assertThat(expected).isNotEmpty();
      List<TaskInfo> ours = listed(Q, state);
      assertThat(ours.stream().map(GoTaskInfo::of)).containsAll(expected);
      assertThat(goSees(GoTaskInfo.class, "list", Q, state.word(), GROUP))
          .containsExactlyElementsOf(
              ours.stream().map(one -> GoTaskInfo.of(one, setting.go())).toList());
    }
    assertThat(stats().size()).isEqualTo(inputs.size());
  }

  private static TaskState stateOf(GoTask task) {
    if (task.processAt() != 0 || task.processIn() != 0) {
      return TaskState.SCHEDULED;
    }
    return task.group().isEmpty() ? TaskState.PENDING : TaskState.AGGREGATING;
  }

  private QueueDump dump() {
    try (Jedis jedis = jedis()) {
      return QueueDump.of(jedis, Q);
    }
  }
}
