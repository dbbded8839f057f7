package io.asynq4j.inspect;

import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.client.DuplicateTaskException;
import io.asynq4j.client.TaskIdConflictException;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol.Command;

/** Moving and copying tasks. */
interface InspectorTransferContract extends InspectorContractSupport {

  QueueName OTHER = QueueName.of("other");

  private boolean isThere(String queue, String id) {
    try {
      return inspector().queue(queue).task(id).id().equals(id);
    } catch (TaskNotFoundException e) {
      return false;
    }
  }

  @Test
  default void aTaskIsMovedAsItIsAndWaitsThereForWhatItWaitedForHere() {
    enqueue("other-0", "t", "p", o -> o.queue("other"));
    enqueue("grouped", "t", "p", o -> o.group("g"));
    enqueue("exact", "t", "p", o -> o.processIn(Duration.ofMillis(1_250)).precise());
    for (TaskState state :
        List.of(TaskState.PENDING, TaskState.SCHEDULED, TaskState.RETRY, TaskState.ARCHIVED)) {
      redis().seed(state, state.word(), T + 10);
    }
    for (String id : List.of("pending", "scheduled", "retry", "archived", "grouped", "exact")) {
      inspector().queue("q").move(id, "other");
      assertThat(isThere("q", id)).isFalse();
    }

    assertThat(inspector().queue("other").task("pending").state()).isEqualTo(TaskState.PENDING);
    assertThat(inspector().queue("other").task("archived").state()).isEqualTo(TaskState.PENDING);
    for (String id : List.of("scheduled", "retry")) {
      assertThat(inspector().queue("other").task(id).state()).isEqualTo(TaskState.SCHEDULED);
      assertThat(inspector().queue("other").task(id).nextProcessAt())
          .isEqualTo(NOON.plusSeconds(10));
    }
    assertThat(inspector().queue("other").task("exact").nextProcessAt())
        .isEqualTo(NOON.plusMillis(1250));
    assertThat(inspector().queue("other").groups()).isEqualTo(Map.of("g", 1L));
    assertThat(inspector().queue("q").groups()).isEmpty();
    inspector().queue("q").remove(false);
  }

  @Test
  default void whatHasBecomeOfATaskSoFarMovesWithIt() {
    enqueue("a", "t", "p", o -> o.header("k", "v").maxRetry(3).retention(Duration.ofHours(1)));
    redis()
        .settle(
            new Settlement.Retry(redis().claimOne(), Duration.ofMinutes(1), "broken", true, false));

    inspector().queue("q").move("a", "other");

    TaskInfo moved = inspector().queue("other").task("a");
    assertThat(moved.retried()).isEqualTo(1);
    assertThat(moved.maxRetry()).isEqualTo(3);
    assertThat(moved.lastError()).isEqualTo("broken");
    assertThat(moved.headers()).isEqualTo(Map.of("k", "v"));
    assertThat(moved.retention()).isEqualTo(Duration.ofHours(1));
    assertThat(moved.nextProcessAt()).isEqualTo(NOON.plusSeconds(60));
  }

  @Test
  default void theLockOfAUniqueTaskMovesForTheTimeItHasLeft() {
    enqueue("a", "t", "p", o -> o.uniqueFor(Duration.ofHours(1)));
    inspector().queue("q").move("a", "other");

    String lock = RedisKeys.unique(OTHER, "t", Payload.ofUtf8("p"));
    assertThat(inspector().queue("other").task("a").uniqueKey()).isEqualTo(lock);
    assertThat(ReplyParser.number(redis().raw(Command.TTL, lock))).isBetween(3_590L, 3_600L);
    assertThat(redis().raw(Command.EXISTS, RedisKeys.unique(Q, "t", Payload.ofUtf8("p"))))
        .isEqualTo(0L);

    enqueue("b", "t", "p", o -> o.uniqueFor(Duration.ofHours(1)));
    assertThatThrownBy(() -> inspector().queue("q").move("b", "other"))
        .isInstanceOf(TaskStateException.class)
        .hasMessageContaining("unique task a");
    assertThat(isThere("q", "b")).isTrue();
  }

  @Test
  default void aTaskThatRunsOrHasRunIsNotMoved() {
    redis().seed(TaskState.ACTIVE, "a", T + 10);
    redis().seed(TaskState.COMPLETED, "c", T + 10);
    for (String id : List.of("a", "c")) {
      assertThatThrownBy(() -> inspector().queue("q").move(id, "other"))
          .isInstanceOf(TaskStateException.class)
          .hasMessageContaining(TaskAction.MOVE.refusal(inspector().queue("q").task(id).state()));
    }
    assertThatThrownBy(() -> inspector().queue("q").move("a", "q"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(inspector().queues()).containsExactly("q");
  }

  @Test
  default void anotherTaskWithThisIdIsNeverOverwritten() {
    enqueue("a", "t", "mine");
    enqueue("a", "t", "another", o -> o.queue("other"));

    assertThatThrownBy(() -> inspector().queue("q").move("a", "other"))
        .isInstanceOf(TaskStateException.class)
        .hasMessageContaining("another task with this ID");

    assertThat(inspector().queue("q").task("a").payload()).isEqualTo(Payload.ofUtf8("mine"));
    assertThat(inspector().queue("other").task("a").payload()).isEqualTo(Payload.ofUtf8("another"));
  }

  @Test
  default void aMoveThatFailedHalfWayLosesNothingAndIsFinishedByAnother() {
    for (String id : List.of("plain", "unique", "later")) {
      enqueue(
          id,
          "t",
          id,
          o ->
              switch (id) {
                case "unique" -> o.uniqueFor(Duration.ofHours(1));
                case "later" -> o.processIn(Duration.ofHours(1));
                default -> o;
              });
      Broker failing =
          before(
              "delete",
              1,
              () -> {
                throw new BrokerUnavailableException("gone", true, new IllegalStateException());
              });

      assertThatThrownBy(() -> InspectorAccess.broker(failing).queue("q").move(id, "other"))
          .isInstanceOf(BrokerUnavailableException.class);
      assertThat(isThere("q", id) && isThere("other", id)).as("in both").isTrue();

      inspector().queue("q").move(id, "other");
      assertThat(isThere("q", id)).isFalse();
      assertThat(isThere("other", id)).isTrue();
    }
    assertThat(inspector().queue("other").snapshot().size()).isEqualTo(3);
  }

  @Test
  default void aTaskThatAWorkerTakesInTheMiddleStaysWithIt() {
    redis().enqueue("a");
    Broker claimed = before("delete", 1, redis()::claimOne);

    assertThatThrownBy(() -> InspectorAccess.broker(claimed).queue("q").move("a", "other"))
        .isInstanceOf(TaskStateException.class)
        .hasMessageContaining("a worker or an aggregation has just taken it");

    assertThat(inspector().queue("q").task("a").state()).isEqualTo(TaskState.ACTIVE);
    assertThat(isThere("other", "a")).isFalse();
  }

  @Test
  default void aTaskThatExistsOnBothSidesIsReportedAsSuch() {
    redis().enqueue("a");
    Broker claimed =
        before(
            "delete",
            1,
            () -> {
              redis().claimOne();
              redis().source().claim(OTHER, 1, BrokerFixture.LEASE, QueueRules.NONE);
            });

    assertThatThrownBy(() -> InspectorAccess.broker(claimed).queue("q").move("a", "other"))
        .isInstanceOf(TaskStateException.class)
        .hasMessageContaining("its copy in queue \"other\"; it may run twice");
  }

  @Test
  default void twoConcurrentMovesOfATaskDoNotLoseIt() {
    redis().enqueue("a");
    Broker second = before("delete", 1, () -> inspector().queue("q").move("a", "other"));

    InspectorAccess.broker(second).queue("q").move("a", "other");

    assertThat(isThere("q", "a")).isFalse();
    assertThat(isThere("other", "a")).isTrue();
  }

  @Test
  default void aCopyIsTheSameTaskAnew() {
    enqueue("a", "t", "p", o -> o.header("k", "v").maxRetry(3).uniqueFor(Duration.ofHours(1)));
    archiveNext("broken");

    String copy = inspector().queue("q").copy("a");

    TaskInfo task = inspector().queue("q").task(copy);
    assertThat(copy).isNotEqualTo("a");
    assertThat(task.state()).isEqualTo(TaskState.PENDING);
    assertThat(task.payload()).isEqualTo(Payload.ofUtf8("p"));
    assertThat(task.headers()).isEqualTo(Map.of("k", "v"));
    assertThat(task.maxRetry()).isEqualTo(3);
    assertThat(List.of(task.retried() + "", task.lastError(), task.uniqueKey()))
        .containsExactly("0", "", "");
    assertThat(isThere("q", "a")).isTrue();
    assertThatThrownBy(() -> inspector().queue("q").copy("a", o -> o.id(copy)))
        .isInstanceOf(TaskIdConflictException.class)
        .hasMessageContaining(copy);
    assertThatThrownBy(
            () -> inspector().queue("q").copy("a", o -> o.uniqueFor(Duration.ofHours(1))))
        .isInstanceOf(DuplicateTaskException.class)
        .hasMessageContaining("task with id=a");
  }

  @Test
  default void aCopyWithAnotherPayloadKeepsAllOptions() {
    Instant deadline = NOON.plusSeconds(3_600);
    enqueue(
        "a",
        "t",
        "p",
        o ->
            o.header("k", "v")
                .maxRetry(3)
                .timeout(Duration.ofSeconds(7))
                .deadline(deadline)
                .retention(Duration.ofHours(2))
                .group("g"));

    String copy = inspector().queue("q").copy("a", Payload.ofUtf8("new"), o -> o.maxRetry(4));

    TaskInfo task = inspector().queue("q").task(copy);
    assertThat(task.type()).isEqualTo("t");
    assertThat(task.payload()).isEqualTo(Payload.ofUtf8("new"));
    assertThat(task.headers()).isEqualTo(Map.of("k", "v"));
    assertThat(task.maxRetry()).isEqualTo(4);
    assertThat(task.timeout()).isEqualTo(Duration.ofSeconds(7));
    assertThat(task.deadline()).isEqualTo(deadline);
    assertThat(task.retention()).isEqualTo(Duration.ofHours(2));
    assertThat(task.state()).isEqualTo(TaskState.AGGREGATING);
    assertThat(inspector().queue("q").groups()).isEqualTo(Map.of("g", 2L));
  }

  @Test
  default void aCopyMayHaveOtherOptionsAndBeOfATaskInAnyState() {
    for (TaskState state : TaskState.values()) {
      redis().seed(state, state.word(), T + 10);
      String copy =
          inspector()
              .queue("q")
              .copy(state.word(), o -> o.queue("other").processIn(Duration.ofMinutes(1)));

      assertThat(inspector().queue("other").task(copy).state()).isEqualTo(TaskState.SCHEDULED);
      assertThat(inspector().queue("q").task(state.word()).state()).isEqualTo(state);
    }
  }
}
