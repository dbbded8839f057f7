package io.asynq4j.internal.redis.store;

import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static io.asynq4j.fixture.BrokerFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.TestTime;
import io.asynq4j.inspect.QueueLimits;
import io.asynq4j.inspect.QueueNotEmptyException;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.inspect.TaskPage;
import io.asynq4j.internal.broker.Aggregation.AggregationSet;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.inspect.OperatorActions;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer.Status;
import io.asynq4j.internal.broker.inspect.QueueControl;
import io.asynq4j.internal.broker.inspect.QueueInspection;
import io.asynq4j.internal.broker.inspect.QueueInspection.DailyStats;
import io.asynq4j.internal.broker.inspect.QueueRemoval;
import io.asynq4j.internal.broker.inspect.TaskEdits;
import io.asynq4j.internal.broker.inspect.TaskInspection;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.redis.codec.wire.WireTask;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.redis.RedisConfig;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Protocol.Command;

/** Inspection and operator actions in the store: requirements i01 to i45. */
interface InspectionContract {

  BrokerFixture redis();

  QueueName NONE = QueueName.of("none");
  ActionAnswer DONE = new ActionAnswer(Status.DONE, null);
  ActionAnswer NOT_FOUND = new ActionAnswer(Status.NOT_FOUND, null);
  ActionAnswer NO_MESSAGE = new ActionAnswer(Status.NO_MESSAGE, null);

  private QueueInspection queues() {
    return redis().queues();
  }

  private QueueControl queueControl() {
    return redis().queueControl();
  }

  private QueueRemoval queueRemoval() {
    return redis().queueRemoval();
  }

  private TaskInspection tasks() {
    return redis().tasks();
  }

  private TaskEdits taskEdits() {
    return redis().taskEdits();
  }

  private OperatorActions actions() {
    return redis().actions();
  }

  private static ActionAnswer isIn(TaskState state) {
    return new ActionAnswer(Status.WRONG_STATE, state);
  }

  /** One task of each state, called like its state. */
  private void oneOfEach() {
    for (TaskState state : TaskState.values()) {
      redis().seed(state, state.word(), T + 10);
    }
  }

  /** So many tasks of a state, with ids that begin with its word, in their order. */
  private void seed(TaskState state, int count) {
    for (int i = 0; i < count; i++) {
      redis().seed(state, String.format("%s%03d", state.word().charAt(0), i), T + i);
    }
  }

  private static Listing listing(TaskState state, int offset, int limit) {
    return state == TaskState.AGGREGATING
        ? new Listing(TaskState.AGGREGATING, "g", false, offset, limit, null)
        : new Listing(state, null, false, offset, limit, null);
  }

  private static Listing fromNewest(Listing page) {
    return new Listing(
        page.state(), page.group(), true, page.offset(), page.limit(), page.cursor());
  }

  private static Listing after(Listing page, @Nullable String cursor) {
    return new Listing(
        page.state(), page.group(), page.newestFirst(), page.offset(), page.limit(), cursor);
  }

  private List<String> idsOf(Listing listing) {
    return idsOf(tasks().list(Q, listing));
  }

  private static List<String> idsOf(TaskPage page) {
    return page.tasks().stream().map(TaskInfo::id).toList();
  }

  private static void isQueueNotFound(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(QueueNotFoundException.class)
        .hasMessageContaining("\"none\"");
  }

  private static void nothing(long progress) {
    assertThat(progress).isNotNegative();
  }

  // ---- queues and their numbers ----

  @Test
  default void i01_queuesAreThoseThatTasksWereEnqueuedIn() {
    assertThat(queues().names()).isEmpty();
    redis().enqueue(redis().task("a"));
    redis().enqueue(redis().task("b", o -> o.queue("low")));

    assertThat(queues().names()).containsExactly("low", "q");
  }

  @Test
  default void i07_i08_aQueueIsCountedAtOneInstant() {
    oneOfEach();
    redis().seed(TaskState.RETRY, "r2", T);
    redis()
        .raw(Command.HSET, RedisKeys.task(Q, "pending"), "pending_since", (T - 15) + "000000000");
    redis().raw(Command.SET, key("processed"), "9");
    redis().raw(Command.SET, key("failed"), "4");
    redis().raw(Command.SET, key("processed:2100-01-01"), "3");
    redis().raw(Command.SET, key("failed:2100-01-01"), "2");
    redis().raw(Command.SET, key("processed:2099-12-31"), "6");

    QueueSnapshot stats = queues().snapshot(Q);

    assertThat(stats)
        .isEqualTo(
            QueueSnapshot.builder("q", NOON)
                .sizes(
                    Map.of(
                        TaskState.ACTIVE, 1L,
                        TaskState.PENDING, 1L,
                        TaskState.SCHEDULED, 1L,
                        TaskState.RETRY, 2L,
                        TaskState.ARCHIVED, 1L,
                        TaskState.COMPLETED, 1L,
                        TaskState.AGGREGATING, 1L))
                .groups(1)
                .processedToday(3)
                .failedToday(2)
                .processed(9)
                .failed(4)
                .oldestPendingSince(NOON.minusSeconds(15))
                .build());
    assertThat(stats.size()).isEqualTo(8);
  }

  @Test
  default void i09_anEmptyPausedQueueHasNoOldestTask() {
    redis().raw(Command.SADD, RedisKeys.QUEUES, "q");
    queueControl().pause(Q);

    assertThat(queues().snapshot(Q).paused()).isTrue();
    assertThat(queues().snapshot(Q).oldestPendingSince()).isNull();
    assertThat(queues().snapshot(Q).size()).isZero();
  }

  @Test
  default void anUnknownAgeOfTheOldestTaskIsNoError() {
    redis().seed(TaskState.PENDING, "a", 0);
    assertThat(queues().snapshot(Q).oldestPendingSince()).isNull();

    redis().raw(Command.HSET, RedisKeys.task(Q, "a"), "pending_since", "lately");
    assertThat(queues().snapshot(Q).oldestPendingSince()).isNull();
  }

  @Test
  default void i05_i10_i21_i26_fixesQ29_nothingIsReturnedOrChangedForAnUnknownQueue() {
    isQueueNotFound(() -> queues().snapshot(NONE));
    isQueueNotFound(() -> queues().memoryUsage(NONE));
    isQueueNotFound(() -> queues().history(NONE, 1));
    isQueueNotFound(() -> tasks().task(NONE, "a"));
    isQueueNotFound(() -> actions().run(NONE, List.of("a")));
    isQueueNotFound(
        () ->
            actions()
                .archive(NONE, List.of("a"), ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST)
                .answers());
    isQueueNotFound(() -> actions().delete(NONE, List.of("a")));
    isQueueNotFound(() -> taskEdits().updatePayload(NONE, "a", Payload.absent()));
    isQueueNotFound(() -> queueRemoval().remove(NONE, true));
    for (TaskState state : TaskState.values()) {
      String group = state == TaskState.AGGREGATING ? "g" : null;
      isQueueNotFound(() -> tasks().list(NONE, listing(state, 0, 1)));
      isQueueNotFound(() -> actions().runAll(NONE, state, group, InspectionContract::nothing));
      isQueueNotFound(() -> actions().deleteAll(NONE, state, group, InspectionContract::nothing));
      isQueueNotFound(
          () ->
              actions()
                  .archiveAll(
                      NONE,
                      state,
                      group,
                      ArchiveRules.DEFAULT,
                      WhenFull.DROP_OLDEST,
                      InspectionContract::nothing));
    }
    assertThat(redis().world()).isEmpty();
  }

  @Test
  default void i11_historyGoesBackFromTodayByUtcDate() {
    redis().raw(Command.SADD, RedisKeys.QUEUES, "q");
    redis().raw(Command.SET, key("processed:2100-01-01"), "3");
    redis().raw(Command.SET, key("failed:2100-01-01"), "2");
    redis().raw(Command.SET, key("processed:2099-12-30"), "7");
    LocalDate today = LocalDate.of(2100, 1, 1);

    assertThat(queues().history(Q, 1)).containsExactly(new DailyStats(today, 3, 2));
    assertThat(queues().history(Q, 3))
        .containsExactly(
            new DailyStats(today, 3, 2),
            new DailyStats(today.minusDays(1), 0, 0),
            new DailyStats(today.minusDays(2), 7, 0));
    assertThat(queues().history(Q, 90)).hasSize(90);
  }

  @Test
  default void memoryIsEstimatedFromASampleAlsoWhereRecordsAreMissing() {
    redis().raw(Command.SADD, RedisKeys.QUEUES, "q");
    assertThat(queues().memoryUsage(Q)).hasValue(0);
    oneOfEach();
    long one = queues().memoryUsage(Q).orElseThrow();
    assertThat(one).isGreaterThan(700);
    seed(TaskState.RETRY, 50);
    long many = queues().memoryUsage(Q).orElseThrow();
    assertThat(many).isGreaterThan(one + 50 * 100);

    redis().raw(Command.DEL, RedisKeys.task(Q, "r000"));

    assertThat(queues().memoryUsage(Q).orElseThrow()).isBetween(many / 2, many + 1_000);
  }

  @Test
  default void ofManyGroupsAFewStandForAllInTheEstimate() {
    for (int i = 0; i < 10; i++) {
      String group = "g" + i;
      redis().enqueue(redis().task("t" + i, o -> o.group(group)));
    }
    long ten = queues().memoryUsage(Q).orElseThrow();

    redis().enqueue(redis().task("one", o -> o.queue("low").group("g")));
    long one = queues().memoryUsage(QueueName.of("low")).orElseThrow();
    // Not ten times: names are of other lengths, and Redis rounds up.
    assertThat(ten).isGreaterThan(8 * one);
  }

  @Test
  default void i43_groupsAreReturnedWithTheirSizes() {
    redis().enqueue(redis().task("a", o -> o.group("g")));
    redis().enqueue(redis().task("b", o -> o.group("g")));
    redis().enqueue(redis().task("c", o -> o.group("h")));

    assertThat(queues().groupSizes(Q)).containsExactly(Map.entry("g", 2L), Map.entry("h", 1L));
    assertThat(queues().groupSizes(NONE)).isEmpty();
  }

  @Test
  default void i44_aQueueIsPausedOnceAndResumedOnce() {
    assertThat(queueControl().pause(Q)).isTrue();
    assertThat(queueControl().pause(Q)).isFalse();
    assertThat(redis().world()).isEqualTo("paused: 4102488000\n");

    assertThat(queueControl().resume(Q)).isTrue();
    assertThat(queueControl().resume(Q)).isFalse();
    assertThat(redis().world()).isEmpty();
  }

  @Test
  default void settingsStayUntilTheyAreTakenBack() {
    assertThat(queueControl().limits(Q)).isEqualTo(QueueLimits.NONE);
    QueueLimits both = new QueueLimits(OptionalInt.of(5), Optional.of(true), Optional.empty());
    queueControl().setLimits(Q, both);
    assertThat(queueControl().limits(Q)).isEqualTo(both);
    assertThat(redis().world()).isEqualTo("settings: {max_active=5, ordered=1}\n");

    QueueLimits one = new QueueLimits(OptionalInt.empty(), Optional.of(false), Optional.empty());
    queueControl().setLimits(Q, one);
    assertThat(queueControl().limits(Q)).isEqualTo(one);

    queueControl().setLimits(Q, QueueLimits.NONE);
    assertThat(redis().world()).isEmpty();
  }

  @Test
  default void aQueueHasASlotAndInAClusterNodes() {
    assertThat(queues().slot(QueueName.of("default"))).isEqualTo(5718);
    assertThat(queues().slot(QueueName.of("low"))).isEqualTo(15214);
    List<String> nodes = queues().nodes(Q);
    if (redis().server.config().kind() == RedisConfig.Kind.CLUSTER) {
      assertThat(nodes).isNotEmpty().allMatch(node -> node.matches(".+:\\d+"));
    } else {
      assertThat(nodes).isEmpty();
    }
    assertThat(queues().redisInfo()).containsKey("redis_version");
  }

  // ---- tasks ----

  @Test
  default void i12_aTaskIsReturnedWithTheFieldsOfItsState() {
    oneOfEach();
    redis().raw(Command.HSET, RedisKeys.task(Q, "completed"), "result", "ok");

    for (TaskState state : TaskState.values()) {
      TaskInfo info = tasks().task(Q, state.word());
      assertThat(info.state()).isEqualTo(state);
      assertThat(info.payload()).isEqualTo(Payload.ofUtf8("p"));
      assertThat(info.nextProcessAt())
          .isEqualTo(
              switch (state) {
                case PENDING -> NOON;
                case SCHEDULED, RETRY -> NOON.plusSeconds(10);
                default -> null;
              });
      assertThat(info.orphaned()).isFalse();
      assertThat(info.group()).isEqualTo(state == TaskState.AGGREGATING ? "g" : "");
    }
    assertThat(tasks().task(Q, "completed").result()).isEqualTo(Payload.ofUtf8("ok"));
    redis().clock.advance(Duration.ofSeconds(10));
    assertThat(tasks().task(Q, "active").orphaned()).isTrue();
  }

  @Test
  default void anExactTimeAndAHoldAreReported() {
    redis().enqueue(redis().task("a", o -> o.processIn(Duration.ofMillis(1_250)).precise()));
    redis().seed(TaskState.PENDING, "b", 0);
    redis().raw(Command.HSET, RedisKeys.task(Q, "b"), "hold_until", Long.toString(T * 1000 + 700));

    assertThat(tasks().task(Q, "a").nextProcessAt()).isEqualTo(NOON.plusMillis(1_250));
    assertThat(tasks().task(Q, "b").nextProcessAt()).isEqualTo(NOON.plusMillis(700));
  }

  @Test
  default void i13_aMissingOrUnreadableTaskIsNotReturned() {
    redis().enqueue("a", "b");
    redis().raw(Command.HSET, RedisKeys.task(Q, "a"), "msg", "\u0001not a message");
    redis().raw(Command.HSET, RedisKeys.task(Q, "b"), "state", "thinking");
    redis().raw(Command.HSET, RedisKeys.task(Q, "stray"), "result", "late");

    assertThatThrownBy(() -> tasks().task(Q, "c")).isInstanceOf(TaskNotFoundException.class);
    assertThatThrownBy(() -> tasks().task(Q, "stray")).isInstanceOf(TaskNotFoundException.class);
    assertThatThrownBy(() -> tasks().task(Q, "a"))
        .isInstanceOf(TaskStateException.class)
        .hasMessageContaining("cannot be read");
    assertThatThrownBy(() -> tasks().task(Q, "b"))
        .isInstanceOf(TaskStateException.class)
        .hasMessageContaining("\"thinking\" is not a task state");
  }

  @Test
  default void aTimeThatJavaCannotSayDoesNotHideATaskOrItsNeighbours() {
    redis().enqueue("a", "b");
    byte[] odd =
        WireTask.newBuilder()
            .setType("t")
            .setId("a")
            .setQueue("q")
            .setDeadline(Long.MAX_VALUE)
            .build()
            .toByteArray();
    String record = RedisKeys.task(Q, "a");
    redis()
        .link
        .call(
            record,
            ResendPolicy.NEVER,
            Command.HSET,
            new CommandArgs().add(record).add("msg").add(odd));

    assertThat(idsOf(Listing.first(TaskState.PENDING, 9))).containsExactly("a", "b");
    assertThat(redis().claim(2)).extracting(Claim::id).containsExactly("a", "b");
  }

  // ---- listing ----

  @Test
  default void i14ToI20_everyStateIsListedInItsOrderAndInPages() {
    for (TaskState state : TaskState.values()) {
      assertThat(seededPages(state)).as(state.word()).isEqualTo("01 23 4 - 01234 5 43 0");
    }
  }

  private String seededPages(TaskState state) {
    seed(state, 5);
    return String.join(
        " ",
        numbers(listing(state, 0, 2)),
        numbers(listing(state, 2, 2)),
        numbers(listing(state, 4, 2)),
        numbers(listing(state, 6, 2)),
        numbers(listing(state, 0, 1_000)),
        Long.toString(tasks().list(Q, listing(state, 4, 1)).total()),
        numbers(fromNewest(listing(state, 0, 2))),
        numbers(fromNewest(listing(state, 4, 2))));
  }

  private String numbers(Listing listing) {
    StringBuilder numbers = new StringBuilder();
    idsOf(listing).forEach(id -> numbers.append(id.charAt(id.length() - 1)));
    return numbers.isEmpty() ? "-" : numbers.toString();
  }

  @Test
  default void i14_whereThereIsNothingAPageIsEmpty() {
    redis().raw(Command.SADD, RedisKeys.QUEUES, "q");
    for (TaskState state : TaskState.values()) {
      assertThat(tasks().list(Q, listing(state, 0, 10)))
          .isEqualTo(TaskPage.of(List.of(), 0, 0, null, List.of()));
    }
  }

  @Test
  default void i15_anActiveTaskWithoutALeaseThatHoldsIsOrphaned() {
    redis().enqueue("a");
    redis().seed(TaskState.ACTIVE, "expired", T);
    redis().seed(TaskState.ACTIVE, "valid", T + 1);
    redis().seed(TaskState.ACTIVE, "unleased", T + 9);
    redis().raw(Command.ZREM, key("lease"), "unleased");
    redis().claimOne();

    assertThat(tasks().list(Q, Listing.first(TaskState.ACTIVE, 9)).tasks())
        .filteredOn(TaskInfo::orphaned)
        .extracting(TaskInfo::id)
        .containsExactly("expired", "unleased");
  }

  @Test
  default void i19_aGroupIsListedByItself() {
    redis().enqueue(redis().task("a", o -> o.group("g")));
    redis().enqueue(redis().task("b", o -> o.group("h")));

    assertThat(idsOf(new Listing(TaskState.AGGREGATING, "g", false, 0, 9, null)))
        .containsExactly("a");
    assertThat(idsOf(new Listing(TaskState.AGGREGATING, "unknown", false, 0, 9, null))).isEmpty();
    assertThatThrownBy(() -> Listing.first(TaskState.AGGREGATING, 9))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  default void aPageMayBeLongerThanWhatOneCallCarries() {
    redis().enqueueMany(450, o -> o);
    aLongPageOf(TaskState.PENDING);
    actions()
        .archiveAll(
            Q,
            TaskState.PENDING,
            null,
            ArchiveRules.DEFAULT,
            WhenFull.DROP_OLDEST,
            InspectionContract::nothing);
    aLongPageOf(TaskState.ARCHIVED);
  }

  private void aLongPageOf(TaskState state) {
    TaskPage page = tasks().list(Q, new Listing(state, null, false, 10, 430, null));

    assertThat(page.tasks()).hasSize(430);
    assertThat(idsOf(page)).isSorted().doesNotHaveDuplicates();
    assertThat(page.total()).isEqualTo(450);
    assertThat(idsOf(new Listing(state, null, false, 0, 99, page.cursor()))).hasSize(10);
    assertThat(tasks().list(Q, Listing.first(state, 450)).cursor()).isNull();
  }

  @Test
  default void unreadableTasksAreReportedBesideThePageAndCounted() {
    for (TaskState state : TaskState.values()) {
      seed(state, 4);
      String letter = state.word().substring(0, 1);
      redis().raw(Command.DEL, RedisKeys.task(Q, letter + "001"));
      redis().raw(Command.HSET, RedisKeys.task(Q, letter + "002"), "msg", "\u0001not a message");

      TaskPage page = tasks().list(Q, listing(state, 0, 3));

      assertThat(idsOf(page)).containsExactly(letter + "000");
      assertThat(page.unreadable()).containsExactly(letter + "001", letter + "002");
      assertThat(page.total()).isEqualTo(4);
      assertThat(idsOf(after(listing(state, 0, 3), page.cursor()))).containsExactly(letter + "003");
      redis().server.flush();
    }
  }

  // ---- paging by cursor ----

  /** All pages of two, one string each; something happens after the first. */
  private List<String> pages(Listing first, Runnable afterFirst) {
    List<String> pages = new ArrayList<>();
    Listing next = first;
    String cursor;
    do {
      TaskPage page = tasks().list(Q, next);
      pages.add(String.join(" ", idsOf(page)));
      cursor = page.cursor();
      next = after(first, cursor);
      if (pages.size() == 1) {
        afterFirst.run();
      }
    } while (cursor != null);
    return pages;
  }

  @Test
  default void aCursorContinuesBehindItsTaskWhileOthersAreAddedAndRemoved() {
    redis().enqueue("a", "b", "c", "d", "e");
    Listing oldest = Listing.first(TaskState.PENDING, 2);

    assertThat(
            pages(
                oldest,
                () -> {
                  redis().claimOne();
                  redis().enqueue("f");
                }))
        .containsExactly("a b", "c d", "e f");
    assertThat(pages(fromNewest(oldest), () -> redis().enqueue("g")))
        .containsExactly("f e", "d c", "b");
  }

  @Test
  default void whereTheLastPageWasTakenThePendingListBeginsAnew() {
    redis().enqueue("a", "b", "c", "d", "e");

    assertThat(pages(Listing.first(TaskState.PENDING, 2), () -> redis().claim(3)))
        .containsExactly("a b", "d e");
  }

  @Test
  default void aCursorContinuesAtItsPositionWhenItsTaskIsGone() {
    redis().enqueue("a", "b", "c", "d", "e");
    Listing newest = new Listing(TaskState.PENDING, null, true, 0, 2, null);
    assertThat(pages(newest, () -> actions().delete(Q, List.of("d"))))
        .containsExactly("e d", "c b", "a");
    List<Claim> claims = redis().claim(4);

    assertThat(
            pages(
                Listing.first(TaskState.ACTIVE, 2),
                () -> redis().settle(new Settlement.Drop(claims.get(1)))))
        .containsExactly("a b", "c e");
  }

  @Test
  default void aCursorInASetContinuesAmongEqualTimesByTheBytesOfTheIds() {
    for (String id : List.of("B", "a", "_", "C", "b", "é", "Z", "1")) {
      redis().seed(TaskState.RETRY, id, T);
    }
    redis().seed(TaskState.RETRY, "later", T + 1);
    Listing first = Listing.first(TaskState.RETRY, 2);

    assertThat(pages(first, () -> actions().delete(Q, List.of("B", "C"))))
        .containsExactly("1 B", "Z _", "a b", "é later");
    assertThat(pages(fromNewest(first), () -> redis().seed(TaskState.RETRY, "zz", T + 9)))
        .containsExactly("later é", "b a", "_ Z", "1");
  }

  @Test
  default void aCursorThatIsNoneIsRefused() {
    redis().enqueue("a");

    assertThatThrownBy(() -> idsOf(new Listing(TaskState.PENDING, null, false, 0, 1, "*")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"*\"");
  }

  // ---- one by one ----

  @Test
  default void i37_i38_waitingTasksAreRunAndOthersSayWhyNot() {
    oneOfEach();

    assertThat(
            actions()
                .run(
                    Q,
                    List.of(
                        "scheduled",
                        "retry",
                        "archived",
                        "completed",
                        "aggregating",
                        "active",
                        "pending",
                        "none")))
        .containsExactly(
            DONE,
            DONE,
            DONE,
            DONE,
            DONE,
            isIn(TaskState.ACTIVE),
            isIn(TaskState.PENDING),
            NOT_FOUND);

    String msg = "msg=t(p) retry 0/25 timeout 1800, ";
    String since = msg + "pending_since=4102488000000000000, state=pending}\n";
    assertThat(redis().world())
        .isEqualTo(
            "active: [active]\n"
                + "asynq:queues: [q]\n"
                + "lease: {active=4102488010}\n"
                + "pending: [aggregating, completed, archived, retry, scheduled, pending]\n"
                + ("t:active: {" + msg + "state=active}\n")
                + ("t:aggregating: {" + since)
                + ("t:archived: {" + since)
                + ("t:completed: {" + since)
                + ("t:pending: {" + msg + "state=pending}\n")
                + ("t:retry: {" + since)
                + ("t:scheduled: {" + since));
  }

  @Test
  default void fixesQ19_aGroupedTaskThatIsRunDoesNotGoBackToItsGroup() {
    redis().enqueue(redis().task("a", o -> o.group("g")));
    redis().enqueue(redis().task("b", o -> o.group("g")));

    actions().run(Q, List.of("a"));
    assertThat(redis().world()).contains("g:g: {b=", "groups: [g]\n");

    redis().settle(new Settlement.Retry(redis().claimOne(), Duration.ZERO, "no", true, false));
    redis().upkeep().forward(Q, 9);
    assertThat(redis().claim(9)).extracting(Claim::id).containsExactly("a");
  }

  @Test
  default void i39_i40_waitingTasksAreArchivedAndOthersSayWhyNot() {
    oneOfEach();

    assertThat(
            actions()
                .archive(
                    Q,
                    List.of(
                        "pending",
                        "scheduled",
                        "retry",
                        "completed",
                        "aggregating",
                        "active",
                        "archived",
                        "none"),
                    ArchiveRules.DEFAULT,
                    WhenFull.DROP_OLDEST)
                .answers())
        .containsExactly(
            DONE,
            DONE,
            DONE,
            DONE,
            DONE,
            isIn(TaskState.ACTIVE),
            isIn(TaskState.ARCHIVED),
            NOT_FOUND);

    assertThat(redis().world())
        .contains(
            "archived: {aggregating=4102488000, completed=4102488000, pending=4102488000, "
                + "retry=4102488000, scheduled=4102488000, archived=4102488010}\n")
        .doesNotContain(
            "\npending: ", "\nscheduled: ", "\nretry: ", "\ncompleted: ", "g:g", "groups")
        .doesNotContain("processed", "failed");
  }

  @Test
  default void fixesQ15_anArchivedTaskForgetsSinceWhenItWasPending() {
    redis().enqueue("a");
    actions().archive(Q, List.of("a"), ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST);
    assertThat(redis().world()).doesNotContain("pending_since");
    redis().clock.advance(Duration.ofDays(1));

    actions().run(Q, List.of("a"));

    assertThat(queues().snapshot(Q).oldestPendingSince()).isEqualTo(NOON.plus(Duration.ofDays(1)));
  }

  @Test
  default void fixesQ07_whatAnOperatorsArchivingTrimsIsGoneWithItsRecordAndLock() {
    redis().enqueue(redis().task("old", o -> o.uniqueFor(Duration.ofHours(1))));
    actions().archive(Q, List.of("old"), ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST);
    redis().clock.advance(Duration.ofSeconds(1));
    redis().enqueue("new");

    actions()
        .archive(
            Q,
            List.of("new"),
            new ArchiveRules(1, Duration.ofDays(90), false),
            WhenFull.DROP_OLDEST);

    assertThat(redis().world())
        .isEqualTo(
            """
            archived: {new=4102488001}
            asynq:queues: [q]
            t:new: {msg=t(p) retry 0/25 timeout 1800, state=archived}
            """);
  }

  @Test
  default void anOperatorsArchivingKeepsTheLockByDefault() {
    redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofHours(1))));
    ArchiveRules releasing = new ArchiveRules(9, Duration.ofDays(90), true);
    actions().archive(Q, List.of("a"), ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST);
    assertThat(redis().world()).contains("unique:t:");
    actions().run(Q, List.of("a"));

    actions().archive(Q, List.of("a"), releasing, WhenFull.DROP_OLDEST);

    assertThat(redis().world()).doesNotContain("\nunique:t:");
  }

  @Test
  default void i34_i36_tasksAreDeletedUnlessTheyRun() {
    oneOfEach();

    assertThat(
            actions()
                .delete(
                    Q,
                    List.of(
                        "pending",
                        "scheduled",
                        "retry",
                        "archived",
                        "completed",
                        "aggregating",
                        "active",
                        "none")))
        .containsExactly(DONE, DONE, DONE, DONE, DONE, DONE, isIn(TaskState.ACTIVE), NOT_FOUND);

    assertThat(redis().world())
        .isEqualTo(
            """
            active: [active]
            asynq:queues: [q]
            lease: {active=4102488010}
            t:active: {msg=t(p) retry 0/25 timeout 1800, state=active}
            """);
  }

  @Test
  default void i35_aDeletedTaskReleasesItsOwnLockOnly() {
    redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofHours(1))));
    actions().delete(Q, List.of("a"));
    assertThat(redis().world()).isEqualTo("asynq:queues: [q]\n");

    redis().enqueue(redis().task("b", o -> o.uniqueFor(Duration.ofHours(1))));
    redis().raw(Command.SET, key(EnqueueContract.LOCK), "c");
    actions().delete(Q, List.of("b"));
    assertThat(redis().world()).contains(EnqueueContract.LOCK + ": c\n");
  }

  @Test
  default void aTaskIsDeletedOnlyIfItIsAsItWasWanted() {
    oneOfEach();
    String before = redis().world();
    for (TaskState state : TaskState.values()) {
      assertThat(taskEdits().deleteIf(Q, state.word(), task -> false)).isFalse();
    }
    assertThat(redis().world()).isEqualTo(before);
    for (TaskState state : TaskState.values()) {
      if (state != TaskState.ACTIVE) {
        assertThat(taskEdits().deleteIf(Q, state.word(), task -> task.state() == state)).isTrue();
      }
    }
    assertThatThrownBy(() -> taskEdits().deleteIf(Q, "active", task -> true))
        .isInstanceOf(TaskStateException.class)
        .hasMessageContaining("active");
    assertThatThrownBy(() -> taskEdits().deleteIf(Q, "pending", task -> true))
        .isInstanceOf(TaskNotFoundException.class);
    assertThat(redis().world()).contains("active: [active]").doesNotContain("t:pending");
  }

  @Test
  default void aTaskThatWasEnqueuedAgainAfterTheLookIsNotDeleted() {
    redis().seed(TaskState.COMPLETED, "a", T + 10);
    List<TaskState> seen = new ArrayList<>();

    boolean deleted =
        taskEdits()
            .deleteIf(
                Q,
                "a",
                task -> {
                  seen.add(task.state());
                  if (seen.size() == 1) {
                    actions().delete(Q, List.of("a"));
                    redis().enqueue("a");
                  }
                  return task.state() == TaskState.COMPLETED;
                });

    assertThat(deleted).isFalse();
    assertThat(seen).containsExactly(TaskState.COMPLETED, TaskState.PENDING);
    assertThat(redis().world()).contains("pending: [a]", "t:a: {");
  }

  @Test
  default void aTaskThatHasWaitedOnlySinceTheLookIsNotDeleted() {
    redis().enqueue("a");
    List<TaskState> seen = new ArrayList<>();

    boolean deleted =
        taskEdits()
            .deleteIf(
                Q,
                "a",
                task -> {
                  seen.add(task.state());
                  if (seen.size() == 1) {
                    // The same in all but the time.
                    actions().delete(Q, List.of("a"));
                    redis().clock.advance(Duration.ofMillis(1));
                    redis().enqueue("a");
                  }
                  return seen.size() == 1;
                });

    assertThat(deleted).isFalse();
    assertThat(seen).hasSize(2);
    assertThat(redis().world()).contains("pending: [a]");
  }

  @Test
  default void aRecordWithoutAMessageCanOnlyBeDeleted() {
    redis().raw(Command.SADD, RedisKeys.QUEUES, "q");
    redis().raw(Command.HSET, RedisKeys.task(Q, "stray"), "result", "late");
    redis().raw(Command.HSET, RedisKeys.task(Q, "empty"), "state", "archived");
    List<String> ids = List.of("stray", "empty");

    assertThat(actions().run(Q, ids)).containsExactly(NO_MESSAGE, NO_MESSAGE);
    assertThat(actions().archive(Q, ids, ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST).answers())
        .containsExactly(NO_MESSAGE, NO_MESSAGE);
    assertThat(actions().delete(Q, ids)).containsExactly(DONE, DONE);

    assertThat(redis().world()).isEqualTo("asynq:queues: [q]\n");
  }

  @Test
  default void fixesW15_aRecordInNoContainerCanBeRunArchivedAndDeleted() {
    redis().raw(Command.SADD, RedisKeys.QUEUES, "q");
    for (TaskState state : TaskState.values()) {
      redis().seedRecord(state, "r-" + state.word());
      redis().seedRecord(state, "d-" + state.word());
    }
    redis().seedRecord(TaskState.COMPLETED, "a");

    assertThat(actions().run(Q, List.of("r-archived", "r-active", "r-aggregating")))
        .containsOnly(DONE);
    assertThat(
            actions()
                .archive(Q, List.of("a"), ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST)
                .answers())
        .containsOnly(DONE);
    for (TaskState state : TaskState.values()) {
      assertThat(actions().delete(Q, List.of("d-" + state.word()))).containsOnly(DONE);
    }

    assertThat(redis().world())
        .contains("archived: {a=", "pending: [r-aggregating, r-active, r-archived]\n")
        .doesNotContain("t:d-");
  }

  @Test
  default void tasksAreCountedByTheirIds() {
    oneOfEach();

    assertThat(tasks().count(Q, List.of())).isZero();
    assertThat(tasks().count(Q, List.of("none", "neither"))).isZero();
    assertThat(tasks().count(NONE, List.of("pending"))).isZero();
    assertThat(tasks().count(Q, List.of("none", "pending", "completed", "pending"))).isEqualTo(3);
    redis().enqueueMany(550, o -> o);
    List<String> ids = idsOf(Listing.first(TaskState.PENDING, 551));
    assertThat(tasks().count(Q, ids)).isEqualTo(551);
  }

  @Test
  default void manyIdsAreActedOnInOneCall() {
    redis().enqueueMany(450, o -> o.processIn(Duration.ofHours(1)));
    List<String> ids = idsOf(Listing.first(TaskState.SCHEDULED, 450));

    assertThat(actions().run(Q, ids)).hasSize(450).containsOnly(DONE);
    assertThat(actions().archive(Q, ids, ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST).answers())
        .hasSize(450)
        .containsOnly(DONE);
    assertThat(actions().delete(Q, ids)).hasSize(450).containsOnly(DONE);

    assertThat(redis().world()).isEqualTo("asynq:queues: [q]\n");
  }

  // ---- all of a state ----

  @Test
  default void i30_fixesQ31_allTasksOfAStateAreRunInOrderBehindPendingOnesWithProgress() {
    redis().seed(TaskState.PENDING, "first", 0);
    redis().enqueueMany(450, o -> o.processIn(Duration.ofHours(1)));
    List<Long> progress = new ArrayList<>();

    assertThat(actions().runAll(Q, TaskState.SCHEDULED, null, progress::add)).isEqualTo(450);

    assertThat(progress).containsExactly(50L, 100L, 150L, 200L, 250L, 300L, 350L, 400L, 450L);
    List<String> pending = idsOf(Listing.first(TaskState.PENDING, 451));
    assertThat(pending).hasSize(451).startsWith("first", "t0000", "t0001").endsWith("t0449");
    assertThat(queues().snapshot(Q).size(TaskState.SCHEDULED)).isZero();
  }

  @Test
  default void i30_i31_allOfEveryWaitingStateAreRunAndOtherQueuesAreUntouched() {
    oneOfEach();
    redis().enqueue(redis().task("a", o -> o.queue("low").processIn(Duration.ofHours(1))));

    for (TaskState state :
        List.of(TaskState.SCHEDULED, TaskState.RETRY, TaskState.ARCHIVED, TaskState.COMPLETED)) {
      assertThat(actions().runAll(Q, state, null, InspectionContract::nothing)).isEqualTo(1);
      assertThat(actions().runAll(Q, state, null, InspectionContract::nothing)).isZero();
    }
    assertThat(actions().runAll(Q, TaskState.AGGREGATING, "g", InspectionContract::nothing))
        .isEqualTo(1);
    assertThat(actions().runAll(Q, TaskState.PENDING, null, InspectionContract::nothing)).isZero();
    assertThat(actions().runAll(Q, TaskState.ACTIVE, null, InspectionContract::nothing)).isZero();

    assertThat(redis().world())
        .contains("pending: [aggregating, completed, archived, retry, scheduled, pending]\n")
        .contains("asynq:{low}:scheduled: {a=")
        .doesNotContain("groups", "g:g");
  }

  @Test
  default void i27ToI29_allOfAStateAreArchivedBesideWhatIsThere() {
    oneOfEach();

    for (TaskState state :
        List.of(TaskState.PENDING, TaskState.SCHEDULED, TaskState.RETRY, TaskState.COMPLETED)) {
      assertThat(archiveAll(state, null)).isEqualTo(1);
      assertThat(archiveAll(state, null)).isZero();
    }
    assertThat(archiveAll(TaskState.AGGREGATING, "g")).isEqualTo(1);
    assertThat(archiveAll(TaskState.AGGREGATING, "g")).isZero();
    assertThat(archiveAll(TaskState.ARCHIVED, null)).isZero();
    assertThat(archiveAll(TaskState.ACTIVE, null)).isZero();

    assertThat(redis().world())
        .contains(
            "archived: {aggregating=4102488000, completed=4102488000, pending=4102488000, "
                + "retry=4102488000, scheduled=4102488000, archived=4102488010}\n")
        .doesNotContain("groups", "g:g");
  }

  private long archiveAll(TaskState state, @Nullable String group) {
    return actions()
        .archiveAll(
            Q,
            state,
            group,
            ArchiveRules.DEFAULT,
            WhenFull.DROP_OLDEST,
            InspectionContract::nothing)
        .done();
  }

  @Test
  default void manyAreArchivedAndTheArchiveStaysWithinItsRules() {
    redis().enqueueMany(650, o -> o);

    assertThat(
            actions()
                .archiveAll(
                    Q,
                    TaskState.PENDING,
                    null,
                    new ArchiveRules(50, Duration.ofDays(1), false),
                    WhenFull.DROP_OLDEST,
                    InspectionContract::nothing)
                .done())
        .isEqualTo(650);

    assertThat(queues().snapshot(Q).size(TaskState.ARCHIVED)).isEqualTo(50);
    assertThat(redis().world().lines().filter(line -> line.startsWith("t:"))).hasSize(50);
  }

  @Test
  default void i22ToI25_allOfAStateAreDeleted() {
    oneOfEach();
    redis().enqueueMany(450, o -> o);
    redis().enqueue(redis().task("a", o -> o.queue("low")));
    redis().enqueue(redis().task("b", o -> o.group("h")));

    assertThat(deleteAll(TaskState.PENDING, null)).isEqualTo(451);
    for (TaskState state :
        List.of(TaskState.SCHEDULED, TaskState.RETRY, TaskState.ARCHIVED, TaskState.COMPLETED)) {
      assertThat(deleteAll(state, null)).isEqualTo(1);
      assertThat(deleteAll(state, null)).isZero();
    }
    assertThat(deleteAll(TaskState.AGGREGATING, "g")).isEqualTo(1);
    assertThat(deleteAll(TaskState.ACTIVE, null)).isZero();

    assertThat(redis().world())
        .isEqualTo(
            """
            active: [active]
            asynq:queues: [low, q]
            asynq:{low}:pending: [a]
            asynq:{low}:t:a: {msg=t(p) retry 0/25 timeout 1800, pending_since=4102488000000000000, \
            state=pending}
            g:h: {b=4102488000}
            groups: [h]
            lease: {active=4102488010}
            t:active: {msg=t(p) retry 0/25 timeout 1800, state=active}
            t:b: {group=h, msg=t(p) retry 0/25 timeout 1800 group h, state=aggregating}
            """);
  }

  private long deleteAll(TaskState state, @Nullable String group) {
    return actions().deleteAll(Q, state, group, InspectionContract::nothing);
  }

  @Test
  default void fixesQ11_i24_deletingAllOfAStateFreesTheirLocks() {
    redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofHours(1))));
    deleteAll(TaskState.PENDING, null);
    redis().enqueue(redis().task("b", o -> o.uniqueFor(Duration.ofHours(1)).group("g")));
    deleteAll(TaskState.AGGREGATING, "g");
    redis().enqueue(redis().task("c", o -> o.uniqueFor(Duration.ofHours(1))));
    actions().archive(Q, List.of("c"), ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST);
    deleteAll(TaskState.ARCHIVED, null);

    assertThat(redis().world()).isEqualTo("asynq:queues: [q]\n");
  }

  @Test
  default void idsWithoutARecordAreDeletedAndPassedOverByTheRest() {
    redis().seed(TaskState.PENDING, "a", 0);
    redis().raw(Command.RPUSH, key("pending"), "ghost");
    redis().seed(TaskState.RETRY, "b", T);
    redis().raw(Command.ZADD, key("retry"), "1", "ghost");
    redis().seed(TaskState.AGGREGATING, "c", T);
    redis().raw(Command.ZADD, key("g:g"), "1", "ghost");

    assertThat(actions().runAll(Q, TaskState.RETRY, null, InspectionContract::nothing))
        .isEqualTo(1);
    assertThat(archiveAll(TaskState.PENDING, null)).isEqualTo(2);
    deleteAll(TaskState.PENDING, null);
    deleteAll(TaskState.RETRY, null);
    deleteAll(TaskState.AGGREGATING, "g");
    deleteAll(TaskState.ARCHIVED, null);

    assertThat(redis().world()).isEqualTo("asynq:queues: [q]\n");
  }

  // ---- payloads ----

  @Test
  default void i32_thePayloadOfAWaitingTaskIsReplacedAndNothingElse() {
    for (TaskState state : TaskState.values()) {
      redis().seed(state, "a", T + 10);
      String before = redis().world();
      if (state == TaskState.ACTIVE || state == TaskState.COMPLETED) {
        assertThatThrownBy(() -> taskEdits().updatePayload(Q, "a", Payload.ofUtf8("new")))
            .isInstanceOf(TaskStateException.class)
            .hasMessageContaining(state.word());
        assertThat(redis().world()).isEqualTo(before);
      } else {
        taskEdits().updatePayload(Q, "a", Payload.ofUtf8("new"));
        assertThat(redis().world()).isEqualTo(before.replace("t(p)", "t(new)"));
        taskEdits().updatePayload(Q, "a", Payload.absent());
        assertThat(redis().world()).isEqualTo(before.replace("t(p)", "t()"));
      }
      redis().server.flush();
    }
  }

  @Test
  default void theHeadersOfAWaitingTaskAreReplacedAndNothingElse() {
    for (TaskState state : TaskState.values()) {
      redis().seed(state, "a", T + 10);
      String before = redis().world();
      if (state == TaskState.ACTIVE || state == TaskState.COMPLETED) {
        assertThatThrownBy(() -> taskEdits().updateHeaders(Q, "a", old -> Map.of("k", "v")))
            .isInstanceOf(TaskStateException.class)
            .hasMessageContaining(state.word());
      } else {
        taskEdits().updateHeaders(Q, "a", old -> Map.of("k", "v"));
        assertThat(tasks().task(Q, "a").headers()).isEqualTo(Map.of("k", "v"));
        taskEdits()
            .updateHeaders(
                Q,
                "a",
                old -> {
                  assertThat(old).isEqualTo(Map.of("k", "v"));
                  return Map.of();
                });
      }
      assertThat(redis().world()).isEqualTo(before);
      redis().server.flush();
    }
  }

  @Test
  default void i33_thePayloadOfAnUnknownTaskCannotBeReplaced() {
    redis().enqueue("a");

    assertThatThrownBy(() -> taskEdits().updatePayload(Q, "b", Payload.absent()))
        .isInstanceOf(TaskNotFoundException.class);
  }

  @Test
  default void fixesQ26_theLockMovesWithThePayloadForTheTimeItHasLeft() {
    redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofHours(1))));

    taskEdits().updatePayload(Q, "a", Payload.ofUtf8("new"));

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            pending: [a]
            t:a: {msg=t(new) retry 0/25 timeout 1800 unique, pending_since=4102488000000000000, \
            state=pending, unique_key=asynq:{q}:unique:t:22af645d1859cb5ca6da0c484f1f37ea}
            unique:t:22af645d1859cb5ca6da0c484f1f37ea: a for 3600s
            """);
    assertThat(redis().enqueue(redis().task("b", o -> o.uniqueFor(Duration.ofHours(1)))))
        .containsExactly(EnqueueReply.ENQUEUED);
  }

  @Test
  default void fixesQ26_aPayloadThatWouldMakeADuplicateIsRefused() {
    NewTask other =
        NewTask.of(
            Task.of("t", Payload.ofUtf8("other")),
            TaskOptions.of(o -> o.id("b").queue("q").uniqueFor(Duration.ofHours(1))),
            NOON);
    redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofHours(1))), other);
    String before = redis().world();

    assertThatThrownBy(() -> taskEdits().updatePayload(Q, "a", Payload.ofUtf8("other")))
        .isInstanceOf(TaskStateException.class)
        .hasMessageContaining("unique task b");

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void fixesW43_aMessageThatWasChangedMeanwhileIsNotOverwritten() {
    redis().enqueue("a");
    ScriptRunner scripts = new ScriptRunner(redis().link, new TestTime(redis().clock));
    CommandArgs late =
        new CommandArgs().add("a").add("what was read").add("new").addEmpty().addEmpty();
    String before = redis().world();

    assertThat(scripts.run(Script.UPDATE, Q, late)).isEqualTo(-1L);

    assertThat(redis().world()).isEqualTo(before);
  }

  // ---- removing a queue ----

  @Test
  default void i03_fixesQ16_anEmptyQueueIsRemovedWithAllItsTraces() {
    redis().enqueue("a");
    redis().settle(new Settlement.Archive(redis().claimOne(), "no"));
    actions().delete(Q, List.of("a"));
    queueControl().pause(Q);
    queueControl()
        .setLimits(Q, new QueueLimits(OptionalInt.of(1), Optional.empty(), Optional.empty()));
    redis().raw(Command.SADD, key("groups"), "empty");
    redis().raw(Command.SET, key("processed:2099-10-03"), "1");
    redis().raw(Command.SET, key("failed:2100-01-02"), "1");

    queueRemoval().remove(Q, false);

    assertThat(redis().world()).isEmpty();
  }

  @Test
  default void i04_fixesW31_aQueueWithAnyTaskInItIsRemovedOnlyByForce() {
    for (TaskState state : TaskState.values()) {
      redis().seed(state, "a", T);
      String before = redis().world();
      assertThatThrownBy(() -> queueRemoval().remove(Q, false))
          .isInstanceOf(QueueNotEmptyException.class)
          .hasMessageContaining(state.word());
      assertThat(redis().world()).isEqualTo(before);

      if (state != TaskState.ACTIVE) {
        queueRemoval().remove(Q, true);
        assertThat(redis().world()).isEmpty();
      }
      redis().server.flush();
    }
  }

  @Test
  default void fixesW31_aSetUnderWayMakesAQueueNotEmpty() {
    redis().enqueue(redis().task("a", o -> o.group("g")));
    AggregationSet set =
        redis().aggregation().aggregate(Q, "g", AggregationContract.AT_ONCE).orElseThrow();

    assertThatThrownBy(() -> queueRemoval().remove(Q, false))
        .isInstanceOf(QueueNotEmptyException.class);

    redis().aggregation().finish(set, null);
    queueRemoval().remove(Q, true);
    assertThat(redis().world()).isEmpty();
  }

  @Test
  default void i06_aQueueWithActiveTasksIsNotRemovedEvenByForce() {
    oneOfEach();
    String before = redis().world();

    assertThatThrownBy(() -> queueRemoval().remove(Q, true))
        .isInstanceOf(QueueNotEmptyException.class)
        .hasMessageContaining("active");

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void fixesQ11_fixesQ16_fixesW31_byForceNothingAtAllIsLeft() {
    oneOfEach();
    redis().raw(Command.LREM, key("active"), "0", "active");
    redis().raw(Command.ZREM, key("lease"), "active");
    redis().enqueueMany(250, o -> o);
    redis().enqueue(redis().task("u", o -> o.uniqueFor(Duration.ofHours(1))));
    // A set under way, one that is spent, and a group that is not listed.
    redis().enqueue(redis().task("s", o -> o.group("set")));
    redis().aggregation().aggregate(Q, "set", AggregationContract.AT_ONCE);
    redis().enqueue(redis().task("f", o -> o.group("finished")));
    redis()
        .aggregation()
        .finish(
            redis()
                .aggregation()
                .aggregate(Q, "finished", AggregationContract.AT_ONCE)
                .orElseThrow(),
            null);
    redis().enqueue(redis().task("g", o -> o.group("unlisted")));
    redis().raw(Command.SREM, key("groups"), "unlisted");
    // Ids without records, records without a container, and a lock of nobody.
    redis().raw(Command.LPUSH, key("pending"), "ghost");
    redis().raw(Command.ZADD, key("completed"), "1", "ghost");
    redis().raw(Command.ZADD, key("g:g"), "1", "ghost");
    redis().raw(Command.ZADD, key("lease"), "1", "ghost");
    redis().raw(Command.LPUSH, key("active"), "other-ghost");
    redis().seedRecord(TaskState.ARCHIVED, "leaked");
    redis().raw(Command.HSET, RedisKeys.task(Q, "stray"), "result", "late");
    redis().raw(Command.SET, key("unique:t:1234"), "gone");
    queueControl().pause(Q);
    queueControl()
        .setLimits(Q, new QueueLimits(OptionalInt.of(1), Optional.empty(), Optional.empty()));
    redis().raw(Command.SET, key("processed"), "1");
    redis().raw(Command.SET, key("processed:2099-12-01"), "1");

    queueRemoval().remove(Q, true);

    assertThat(redis().world()).isEmpty();
  }

  @Test
  default void removingAQueueLeavesOthersAlone() {
    redis().enqueue(redis().task("a", o -> o.queue("q2").uniqueFor(Duration.ofHours(1))));
    String before = redis().world();
    redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofHours(1))));

    queueRemoval().remove(Q, true);

    assertThat(redis().world()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"inf", "-inf", "1e300", "-1e17"})
  default void aRowWithATimeBeyondAllCalendarsHidesNoOther(String score) {
    for (TaskState state : TaskState.values()) {
      redis().seed(state, state.word() + "-a", T);
      redis().seed(state, state.word() + "-b", T + 1);
    }
    for (String key : List.of("scheduled", "retry", "archived", "completed", "lease", "g:g")) {
      String word = key.equals("lease") ? "active" : key.equals("g:g") ? "aggregating" : key;
      redis().raw(Command.ZADD, key(key), score, word + "-a");
    }
    for (TaskState state : TaskState.values()) {
      String record = RedisKeys.task(Q, state.word() + "-a");
      redis().raw(Command.HSET, record, "crashes", score, "due_ms", score, "hold_until", score);

      List<TaskInfo> tasks = new ArrayList<>();
      String group = state == TaskState.AGGREGATING ? "g" : null;
      String cursor = null;
      do {
        TaskPage page = redis().tasks().list(Q, new Listing(state, group, false, 0, 1, cursor));
        tasks.addAll(page.tasks());
        cursor = page.cursor();
      } while (cursor != null);

      assertThat(tasks)
          .extracting(TaskInfo::id)
          .containsExactlyInAnyOrder(state.word() + "-a", state.word() + "-b");
      assertThat(redis().tasks().task(Q, state.word() + "-a").state()).isEqualTo(state);
    }
  }
}
