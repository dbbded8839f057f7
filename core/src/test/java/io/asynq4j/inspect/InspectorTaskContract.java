package io.asynq4j.inspect;

import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static io.asynq4j.inspect.InspectorContractSupport.ids;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.pubsub.CancellationChannel.Subscription;
import io.asynq4j.internal.broker.pubsub.ControlMessage;
import io.asynq4j.internal.redis.command.RedisKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol.Command;

/** Single tasks, and lists of them. */
interface InspectorTaskContract extends InspectorContractSupport {

  private static void isRefused(ThrowingCallable call, String... words) {
    assertThatThrownBy(call).isInstanceOf(TaskStateException.class).hasMessageContainingAll(words);
  }

  private void oneOfEach() {
    for (TaskState state : TaskState.values()) {
      redis().seed(state, state.word(), T + 10);
    }
  }

  private TaskState state(String id) {
    return inspector().queue("q").task(id).state();
  }

  private List<String> list(TaskState state, PageRequest page) {
    return ids(inspector().queue("q").tasks(state, page).tasks());
  }

  // ---- looking

  @Test
  default void anIdIsLookedForInManyQueuesAtOnce() {
    enqueue("a", "t", "here");
    enqueue("a", "t", "there", o -> o.queue("other"));
    enqueue("b", "t", "alone", o -> o.queue("other"));
    List<QueueName> queues =
        Stream.concat(
                Stream.of("q", "other", "never-used"),
                IntStream.range(0, 1_500).mapToObj(i -> "q" + i))
            .map(QueueName::of)
            .toList();

    assertThat(inspector().find(queues, "a"))
        .extracting(task -> task.payload().utf8())
        .containsExactlyInAnyOrder("here", "there");
    assertThat(inspector().find(List.of(Q), "a")).extracting(TaskInfo::id).containsExactly("a");
    assertThat(inspector().find(queues, "b")).hasSize(1);
    assertThat(inspector().find(queues, "c")).isEmpty();
    assertThat(inspector().find(List.of(), "a")).isEmpty();
  }

  @Test
  default void i12_allFieldsOfATaskAreReturned() {
    enqueue(
        "a",
        "t",
        "p",
        o ->
            o.header("k", "v")
                .retention(Duration.ofHours(1))
                .timeout(Duration.ofMinutes(2))
                .uniqueFor(Duration.ofHours(1))
                .maxRetry(3));
    redis()
        .settle(
            new Settlement.Retry(redis().claimOne(), Duration.ofMinutes(1), "broken", true, false));

    TaskInfo task = inspector().queue("q").task("a");

    assertThat(task.state()).isEqualTo(TaskState.RETRY);
    assertThat(task.headers()).isEqualTo(Map.of("k", "v"));
    assertThat(task.retention()).isEqualTo(Duration.ofHours(1));
    assertThat(task.timeout()).isEqualTo(Duration.ofMinutes(2));
    assertThat(task.uniqueKey()).contains(":unique:t:");
    assertThat(List.of(task.retried(), task.maxRetry(), task.crashes())).containsExactly(1, 3, 0);
    assertThat(task.lastError()).isEqualTo("broken");
    assertThat(task.since()).isEqualTo(NOON).isEqualTo(task.lastFailedAt());
    assertThat(task.nextProcessAt()).isEqualTo(NOON.plusSeconds(60));
  }

  @Test
  default void theTimeSinceWhenATaskIsInItsStateIsReturnedWhereItIsKept() {
    oneOfEach();
    enqueue("p2", "t", "p");

    assertThat(inspector().queue("q").task("p2").since()).isEqualTo(NOON);
    for (TaskState state : List.of(TaskState.ARCHIVED, TaskState.AGGREGATING)) {
      assertThat(inspector().queue("q").task(state.word()).since()).isEqualTo(NOON.plusSeconds(10));
    }
    assertThat(inspector().queue("q").groupTasks("g", PageRequest.first(1)).tasks().get(0).since())
        .isEqualTo(NOON.plusSeconds(10));
    assertThat(
            inspector()
                .queue("q")
                .tasks(TaskState.ARCHIVED, PageRequest.first(1))
                .tasks()
                .get(0)
                .since())
        .isEqualTo(NOON.plusSeconds(10));
    for (TaskState state : List.of(TaskState.ACTIVE, TaskState.SCHEDULED, TaskState.PENDING)) {
      assertThat(inspector().queue("q").task(state.word()).since()).isNull();
    }
  }

  @Test
  default void i13_i33_i36_i38_i40_aMissingTaskIsAlwaysReportedAsSuch() {
    redis().enqueue("a");
    List<ThrowingCallable> calls =
        List.of(
            () -> inspector().queue("q").task("x"),
            () -> inspector().queue("q").run("x"),
            () -> inspector().queue("q").archive("x"),
            () -> inspector().queue("q").delete("x"),
            () -> inspector().queue("q").reschedule("x", NOON),
            () -> inspector().queue("q").updatePayload("x", Payload.absent()),
            () -> inspector().queue("q").cancel("x"),
            () -> inspector().queue("q").move("x", "other"),
            () -> inspector().queue("q").copy("x"),
            () -> inspector().queue("q").explain("x"));

    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(TaskNotFoundException.class)
          .hasMessageContaining("id=x");
    }
  }

  @Test
  default void i14_i16_i17_i18_listsBeginWherePeopleLookFirst() {
    for (TaskState state : TaskState.values()) {
      for (int i = 0; i < 3; i++) {
        redis().seed(state, state.word() + i, T + i);
      }
    }
    PageRequest all = PageRequest.first(10);

    for (TaskState state : List.of(TaskState.PENDING, TaskState.SCHEDULED, TaskState.RETRY)) {
      assertThat(list(state, all))
          .containsExactly(state.word() + "0", state.word() + "1", state.word() + "2");
    }
    for (TaskState state : List.of(TaskState.ARCHIVED, TaskState.COMPLETED)) {
      assertThat(list(state, all))
          .containsExactly(state.word() + "2", state.word() + "1", state.word() + "0");
      assertThat(list(state, all.oldestFirst())).first().isEqualTo(state.word() + "0");
    }
    assertThat(list(TaskState.PENDING, all.newestFirst())).first().isEqualTo("pending2");
    assertThat(ids(inspector().queue("q").groupTasks("g", all).tasks()))
        .containsExactly("aggregating0", "aggregating1", "aggregating2");
    assertThat(inspector().queue("q").groupTasks("other", all).tasks()).isEmpty();
    assertThatThrownBy(() -> inspector().queue("q").tasks(TaskState.AGGREGATING, all))
        .hasMessageContaining("groupTasks");
  }

  @Test
  default void i15_anActiveTaskWhoseLeaseIsOverIsOrphaned() {
    redis().seed(TaskState.ACTIVE, "held", T + 10);
    redis().seed(TaskState.ACTIVE, "orphan", T - 1);

    assertThat(inspector().queue("q").tasks(TaskState.ACTIVE, PageRequest.first(5)).tasks())
        .extracting(TaskInfo::orphaned)
        .containsExactly(false, true);
  }

  @Test
  default void i20_fixesW47_pagesAreByOffsetOrCursorAndSayHowManyThereAre() {
    redis().enqueueMany(25, o -> o);

    TaskPage third = inspector().queue("q").tasks(TaskState.PENDING, PageRequest.at(20, 10));
    assertThat(ids(third.tasks())).containsExactly("t0020", "t0021", "t0022", "t0023", "t0024");
    assertThat(third.total()).isEqualTo(25);
    assertThat(third.cursor()).isNull();
    assertThat(list(TaskState.PENDING, PageRequest.at(25, 10))).isEmpty();

    List<String> seen = new ArrayList<>();
    String cursor = null;
    do {
      TaskPage page =
          inspector().queue("q").tasks(TaskState.PENDING, PageRequest.first(10).after(cursor));
      seen.addAll(ids(page.tasks()));
      cursor = page.cursor();
    } while (cursor != null);
    assertThat(seen).hasSize(25).isSorted();

    assertThatThrownBy(() -> PageRequest.first(0)).hasMessageContaining("0");
    assertThatThrownBy(() -> PageRequest.first(10_001)).hasMessageContaining("10,001");
    assertThatThrownBy(() -> PageRequest.at(-1, 1)).hasMessageContaining("-1");
  }

  @Test
  default void whatCannotBeReadIsNamedBesideThePage() {
    redis().enqueue("a", "b");
    redis().raw(Command.HSET, RedisKeys.task(Q, "a"), "msg", "?");

    TaskPage page = inspector().queue("q").tasks(TaskState.PENDING, PageRequest.first(5));

    assertThat(ids(page.tasks())).containsExactly("b");
    assertThat(page.unreadable()).containsExactly("a");
    isRefused(() -> inspector().queue("q").task("a"), "cannot be read");
    inspector().queue("q").delete("a");
    assertThat(inspector().queue("q").snapshot().size()).isEqualTo(1);
  }

  @Test
  default void aPageOfLargeTasksIsWholeThoughOneCallDoesNotCarryIt() {
    String half = "x".repeat(600_000);
    for (int i = 0; i < 5; i++) {
      enqueue("big" + i, "t", half + i);
    }

    TaskPage page = inspector().queue("q").tasks(TaskState.PENDING, PageRequest.first(4));

    assertThat(ids(page.tasks())).containsExactly("big0", "big1", "big2", "big3");
    assertThat(page.cursor()).isNotNull();
    assertThat(list(TaskState.PENDING, PageRequest.first(4).after(page.cursor())))
        .containsExactly("big4");
  }

  // ---- changing

  @Test
  default void i37_i38_aTaskIsRunUnlessItRunsOrIsAboutTo() {
    oneOfEach();
    for (String id : List.of("scheduled", "retry", "archived", "completed", "aggregating")) {
      inspector().queue("q").run(id);
      assertThat(state(id)).isEqualTo(TaskState.PENDING);
    }
    isRefused(() -> inspector().queue("q").run("pending"), "cannot be run in state pending");
    isRefused(() -> inspector().queue("q").run("active"), "active", "cancel it first");
  }

  @Test
  default void i39_i40_aTaskIsArchivedUnlessItIsOrRuns() {
    oneOfEach();
    for (String id : List.of("scheduled", "retry", "pending", "completed", "aggregating")) {
      inspector().queue("q").archive(id);
      assertThat(inspector().queue("q").task(id).since()).isEqualTo(NOON);
      assertThat(state(id)).isEqualTo(TaskState.ARCHIVED);
    }
    isRefused(() -> inspector().queue("q").archive("archived"), "in state archived");
    isRefused(() -> inspector().queue("q").archive("active"), "cancel it first");
  }

  @Test
  default void i34_i36_aTaskIsDeletedUnlessItRuns() {
    oneOfEach();
    isRefused(
        () -> inspector().queue("q").delete("active"), "cannot be deleted", "cancel it first");

    BulkReport report =
        inspector().queue("q").delete(List.of("pending", "active", "archived", "nothing", "retry"));

    assertThat(report.done()).isEqualTo(3);
    assertThat(report.failures())
        .containsExactly(
            new BulkReport.Failure("active", TaskAction.DELETE.refusal(TaskState.ACTIVE)),
            new BulkReport.Failure("nothing", "does not exist"));
    assertThat(inspector().queue("q").snapshot().size()).isEqualTo(4);
  }

  @Test
  default void aTaskThatWaitsCanBeHadWaitForAnotherTime() {
    oneOfEach();
    for (String id : List.of("scheduled", "retry", "pending", "archived")) {
      inspector().queue("q").reschedule(id, NOON.plusMillis(59_001));

      TaskInfo task = inspector().queue("q").task(id);
      assertThat(task.state())
          .isEqualTo(id.equals("retry") ? TaskState.RETRY : TaskState.SCHEDULED);
      assertThat(task.nextProcessAt()).isEqualTo(NOON.plusSeconds(60));
    }
    assertThat(list(TaskState.SCHEDULED, PageRequest.first(9)))
        .containsExactly("archived", "pending", "scheduled");
    assertThat(inspector().queue("q").snapshot().size(TaskState.PENDING)).isZero();
    assertThat(inspector().queue("q").snapshot().size(TaskState.ARCHIVED)).isZero();
    for (String id : List.of("active", "completed", "aggregating")) {
      isRefused(() -> inspector().queue("q").reschedule(id, NOON), "cannot be rescheduled", id);
    }
    redis().clock.advance(Duration.ofMinutes(1));
    assertThat(redis().upkeep().forward(Q, 10).moved()).isEqualTo(4);
    assertThat(redis().claim(9)).hasSize(4);
  }

  @Test
  default void aNewTimeReplacesAnExactOne() {
    enqueue("a", "t", "p", o -> o.processIn(Duration.ofMillis(1_250)).precise());

    inspector().queue("q").reschedule(List.of("a"), NOON.plusSeconds(1));

    assertThat(inspector().queue("q").task("a").nextProcessAt()).isEqualTo(NOON.plusSeconds(1));
  }

  @Test
  default void i22ToI31_allOfAStateAreDealtWith() {
    for (TaskState state : TaskState.values()) {
      redis().seed(state, state.word() + 0, T);
      redis().seed(state, state.word() + 1, T + 1);
    }
    assertThat(inspector().queue("q").archiveAll(TaskState.PENDING)).isEqualTo(2);
    assertThat(inspector().queue("q").runAll(TaskState.RETRY)).isEqualTo(2);
    assertThat(inspector().queue("q").runAll(TaskState.AGGREGATING)).isEqualTo(2);
    assertThat(inspector().queue("q").deleteAll(TaskState.ARCHIVED)).isEqualTo(4);
    assertThat(inspector().queue("q").deleteAll(TaskState.ARCHIVED)).isZero();
    assertThat(inspector().queue("q").deleteAll(TaskState.AGGREGATING)).isZero();
    assertThat(list(TaskState.PENDING, PageRequest.first(9)))
        .containsExactly("retry0", "retry1", "aggregating0", "aggregating1");
    assertThatThrownBy(() -> inspector().queue("q").runAll(TaskState.PENDING))
        .hasMessageContaining("pending");
    assertThatThrownBy(() -> inspector().queue("q").archiveAll(TaskState.ARCHIVED))
        .hasMessageContaining("already");
    assertThatThrownBy(() -> inspector().queue("q").deleteAll(TaskState.ACTIVE))
        .hasMessageContaining("cancel");
  }

  @Test
  default void i32_aPayloadIsReplacedUnlessTheTaskRuns() {
    oneOfEach();
    inspector().queue("q").updatePayload("scheduled", Payload.ofUtf8("new"));
    assertThat(inspector().queue("q").task("scheduled").payload()).isEqualTo(Payload.ofUtf8("new"));
    assertThat(inspector().queue("q").task("scheduled").nextProcessAt())
        .isEqualTo(NOON.plusSeconds(10));
    inspector().queue("q").updatePayload("retry", Payload.absent());
    assertThat(inspector().queue("q").task("retry").payload()).isEqualTo(Payload.absent());
    isRefused(() -> inspector().queue("q").updatePayload("active", Payload.absent()), "active");
  }

  @Test
  default void aCancellationIsHeardByBothKindsOfServers() {
    redis().seed(TaskState.ACTIVE, "a", T + 10);
    redis().seed(TaskState.PENDING, "b", 0);
    List<String> received = new CopyOnWriteArrayList<>();
    try (Subscription subscription = redis().broker.cancellations().subscribe(received::add)) {
      assertThat(subscription).isNotNull();
      inspector().queue("q").cancel("a");
      await().until(() -> received.equals(List.of("a")));
      inspector().queue("q").cancel("a", AfterCancel.ARCHIVE);
      await().until(() -> received.size() == 3);
    }
    assertThat(received)
        .containsExactlyInAnyOrder(
            "a", "a", new ControlMessage.Cancel(Q, "a", AfterCancel.ARCHIVE).text());
    isRefused(() -> inspector().queue("q").cancel("b"), "no worker is running it", "pending");
  }
}
