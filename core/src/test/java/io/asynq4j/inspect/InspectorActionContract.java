package io.asynq4j.inspect;

import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.internal.broker.Aggregation.AggregationSet;
import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer.Status;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.redis.command.RedisKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol.Command;

/** Which action is possible in which state: the rules, the scripts and every way to use them. */
interface InspectorActionContract extends InspectorContractSupport {

  /** A queue with one task of each state, whose id is the word for the state. */
  private void oneOfEach() {
    redis().server.flush();
    for (TaskState state : TaskState.values()) {
      redis().seed(state, state.word(), T + 10);
    }
    redis().raw(Command.HSET, RedisKeys.task(Q, "active"), "claim", "1");
  }

  private void apply(TaskAction action, String id) {
    switch (action) {
      case RUN -> inspector().queue("q").run(id);
      case ARCHIVE -> inspector().queue("q").archive(id);
      case DELETE -> inspector().queue("q").delete(id);
      case CANCEL -> inspector().queue("q").cancel(id);
      case MOVE -> inspector().queue("q").move(id, "other");
      case RESCHEDULE -> inspector().queue("q").reschedule(id, NOON.plusSeconds(60));
      case COPY -> assertThat(inspector().queue("q").copy(id)).isNotEmpty();
      case EDIT -> inspector().queue("q").updatePayload(id, Payload.ofUtf8("new"));
    }
  }

  private BulkReport applyToMany(TaskAction action, TaskState state) {
    Selection selection = inspector().queue("q").select(state);
    return switch (action) {
      case RUN -> selection.run();
      case ARCHIVE -> selection.archive();
      case DELETE -> selection.delete();
      case CANCEL -> selection.cancel(AfterCancel.RETRY);
      case MOVE -> selection.moveTo("other");
      case RESCHEDULE -> selection.reschedule(NOON.plusSeconds(60));
      case COPY, EDIT -> throw new AssertionError(action + " is for single tasks");
    };
  }

  private BulkReport applyById(TaskAction action, String id) {
    List<String> ids = List.of(id);
    return switch (action) {
      case RUN -> inspector().queue("q").run(ids);
      case ARCHIVE -> inspector().queue("q").archive(ids);
      case DELETE -> inspector().queue("q").delete(ids);
      case CANCEL -> inspector().queue("q").cancel(ids, AfterCancel.RETRY);
      case MOVE -> inspector().queue("q").move(ids, "other");
      case RESCHEDULE -> inspector().queue("q").reschedule(ids, NOON.plusSeconds(60));
      case COPY, EDIT -> throw new AssertionError(action + " is for single tasks");
    };
  }

  /** What a script itself answers, without the rules of the inspector before it. */
  private boolean isAcceptedByTheScript(TaskAction action, TaskState state) {
    List<String> ids = List.of(state.word());
    return switch (action) {
      case RUN -> isDone(redis().actions().run(Q, ids), state);
      case ARCHIVE ->
          isDone(
              redis()
                  .actions()
                  .archive(Q, ids, ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST)
                  .answers(),
              state);
      case DELETE -> isDone(redis().actions().delete(Q, ids), state);
      case RESCHEDULE -> isDone(redis().actions().reschedule(Q, ids, NOON.plusSeconds(60)), state);
      case CANCEL -> {
        redis().actions().markCancelled(Q, state.word(), AfterCancel.RETRY);
        yield redis().raw(Command.HGET, RedisKeys.task(Q, state.word()), "cancel") != null;
      }
      case EDIT -> {
        try {
          redis().taskEdits().updatePayload(Q, state.word(), Payload.ofUtf8("new"));
          yield true;
        } catch (TaskStateException e) {
          yield false;
        }
      }
      case MOVE, COPY -> throw new AssertionError(action + " has no script of its own");
    };
  }

  private static boolean isDone(List<ActionAnswer> answers, TaskState state) {
    ActionAnswer answer = answers.get(0);
    if (answer.status() != Status.DONE) {
      assertThat(answer).isEqualTo(new ActionAnswer(Status.WRONG_STATE, state));
    }
    return answer.status() == Status.DONE;
  }

  @Test
  default void theRulesAreWhatTheScriptsAccept() {
    for (TaskAction action : TaskAction.values()) {
      if (action == TaskAction.MOVE || action == TaskAction.COPY) {
        continue;
      }
      for (TaskState state : TaskState.values()) {
        oneOfEach();

        assertThat(isAcceptedByTheScript(action, state))
            .as("%s of %s tasks", action, state)
            .isEqualTo(action.isAllowedIn(state));
      }
    }
  }

  @Test
  default void aTaskRefusesWhatItsStateForbidsAndStaysAsItIs() {
    for (TaskAction action : TaskAction.values()) {
      for (TaskState state : TaskState.values()) {
        oneOfEach();
        String before = redis().world();
        if (action.isAllowedIn(state)) {
          assertThatCode(() -> apply(action, state.word()))
              .as("%s of %s tasks", action, state)
              .doesNotThrowAnyException();
        } else {
          assertThatThrownBy(() -> apply(action, state.word()))
              .as("%s of %s tasks", action, state)
              .isInstanceOf(TaskStateException.class)
              .hasMessage(
                  "task with id=%s in queue \"q\" %s"
                      .formatted(state.word(), action.refusal(state)));
          assertThat(redis().world()).isEqualTo(before);
        }
      }
    }
  }

  @Test
  default void manyTasksFollowTheSameRules() {
    for (TaskAction action : TaskAction.values()) {
      if (action == TaskAction.COPY || action == TaskAction.EDIT) {
        continue;
      }
      for (TaskState state : TaskState.values()) {
        oneOfEach();
        BulkReport byId = applyById(action, state.word());
        assertThat(byId.done())
            .as("%s of %s tasks", action, state)
            .isEqualTo(action.isAllowedIn(state) ? 1 : 0);
        oneOfEach();
        if (action.isAllowedIn(state)) {
          assertThat(applyToMany(action, state).done())
              .as("%s of %s tasks", action, state)
              .isEqualTo(1);
        } else {
          assertThat(byId.failures().get(0).problem()).endsWith(action.refusal(state));
          assertThatThrownBy(() -> applyToMany(action, state))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessage("a task " + action.refusal(state));
        }
      }
    }
  }

  // ---- tasks in groups

  private void group(int count) {
    IntStream.range(0, count)
        .forEach(i -> enqueue("grouped-" + i, "t", "p" + i, o -> o.group("g")));
  }

  @Test
  default void aTaskOfAGroupIsMovedIntoTheSameGroupOfTheOtherQueue() {
    group(2);

    inspector().queue("q").move("grouped-0", "other");

    TaskInfo moved = inspector().queue("other").task("grouped-0");
    assertThat(moved.state()).isEqualTo(TaskState.AGGREGATING);
    assertThat(moved.payload()).isEqualTo(Payload.ofUtf8("p0"));
    assertThat(inspector().queue("other").groups()).isEqualTo(Map.of("g", 1L));
    assertThat(inspector().queue("q").groups()).isEqualTo(Map.of("g", 1L));
  }

  @Test
  default void manyTasksOfAGroupAreMovedTogether() {
    group(450);

    BulkReport report = inspector().queue("q").select(TaskState.AGGREGATING).moveTo("other");

    assertThat(report.done()).isEqualTo(450);
    assertThat(report.isComplete()).isTrue();
    assertThat(inspector().queue("other").groups()).isEqualTo(Map.of("g", 450L));
    assertThat(inspector().queue("q").groups()).isEmpty();
  }

  @Test
  default void anAggregationUnderWayKeepsItsTasks() {
    group(2);
    GroupRules full =
        new GroupRules(2, Duration.ZERO, Duration.ofHours(1), GroupRules.DEFAULT_TIMEOUT);
    AggregationSet set = redis().aggregation().aggregate(Q, "g", full).orElseThrow();

    assertThatThrownBy(() -> inspector().queue("q").move("grouped-0", "other"))
        .isInstanceOf(TaskStateException.class)
        .hasMessageContaining("was not moved");
    for (TaskAction action : List.of(TaskAction.RUN, TaskAction.ARCHIVE, TaskAction.DELETE)) {
      assertThatThrownBy(() -> apply(action, "grouped-0"))
          .isInstanceOf(TaskStateException.class)
          .hasMessageContaining("part of an aggregation under way");
    }

    assertThat(redis().aggregation().read(set).messages()).hasSize(2);
    assertThat(inspector().queue("other").groups()).isEmpty();
  }

  // ---- another time for many

  private void seed(TaskState state, int count) {
    IntStream.range(0, count)
        .forEach(i -> redis().seed(state, String.format("t%04d", i), T + 1_000 + i));
  }

  @Test
  default void everyTaskGetsItsNewTimeOnceWhereverThatPutsIt() {
    for (TaskState state : TaskAction.RESCHEDULE.states()) {
      for (long seconds : List.of(10L, 1_225L, 5_000L)) {
        redis().server.flush();
        seed(state, 450);
        Instant at = NOON.plusSeconds(seconds);
        List<BulkReport.BulkProgress> reported = new ArrayList<>();

        BulkReport report =
            inspector().queue("q").select(state).onProgress(reported::add).reschedule(at);

        assertThat(report.done()).as("%s to %s s", state, seconds).isEqualTo(450);
        assertThat(report.matched()).isEqualTo(450);
        assertThat(report.looked()).isEqualTo(450);
        assertThat(report.isComplete()).isTrue();
        assertThat(reported.get(reported.size() - 1).done()).isEqualTo(450);
        TaskState waits = state == TaskState.RETRY ? TaskState.RETRY : TaskState.SCHEDULED;
        assertThat(inspector().queue("q").select(waits).stream())
            .hasSize(450)
            .allMatch(task -> at.equals(task.nextProcessAt()));
      }
    }
  }

  @Test
  default void onlyTheTasksThatAreWantedGetANewTime() {
    seed(TaskState.SCHEDULED, 400);
    Instant at = NOON.plusSeconds(1_150);
    Selection wanted =
        inspector().queue("q").select(TaskState.SCHEDULED).where(TaskFilter.idPrefix("t01"));

    BulkReport some = wanted.limit(30).reschedule(at);
    assertThat(some.done()).isEqualTo(30);
    assertThat(some.isComplete()).isFalse();
    assertThat(wanted.reschedule(at).done()).isEqualTo(100);

    assertThat(
            inspector().queue("q").select(TaskState.SCHEDULED).stream()
                .filter(task -> at.equals(task.nextProcessAt())))
        .hasSize(100)
        .allMatch(task -> task.id().startsWith("t01"));
    assertThatThrownBy(() -> wanted.reschedule(Instant.MAX))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
