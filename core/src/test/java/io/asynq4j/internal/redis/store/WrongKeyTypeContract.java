package io.asynq4j.internal.redis.store;

import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static io.asynq4j.fixture.BrokerFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.Payload;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.internal.broker.Aggregation.AggregationSet;
import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.ScheduleLedger.Entry;
import io.asynq4j.internal.broker.ScheduleLedger.Firing;
import io.asynq4j.internal.broker.ScheduleLedger.State;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer.Status;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.command.RedisKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Protocol.Command;

/**
 * Transitions when a key has the wrong type. Redis does not roll back a script that fails, so a
 * transition is either refused before it changes anything, or done.
 */
interface WrongKeyTypeContract {

  BrokerFixture redis();

  Duration HOUR = Duration.ofHours(1);
  QueueRules ORDERED = new QueueRules(0, /* ordered= */ true, null);
  GroupRules AT_ONCE = new GroupRules(0, Duration.ZERO, Duration.ZERO, GroupRules.DEFAULT_TIMEOUT);
  Instant NEXT = NOON.plusSeconds(60);
  String DAY = "2100-01-01";
  String TOO_LARGE = Long.toString(Long.MAX_VALUE);

  /** One transition and one key that it writes to; a string stands in its place. */
  @SuppressWarnings("ImmutableEnumChecker") // Functions cannot say that they are immutable.
  enum Transition {
    COMPLETE(
        "completed", redis -> settling(redis, o -> o.retention(HOUR), WrongKeyTypeContract::done)),
    ARCHIVE("archived", redis -> settling(redis, o -> o, c -> new Settlement.Archive(c, "no"))),
    RETRY("retry", redis -> settling(redis, o -> o, WrongKeyTypeContract::retried)),
    RETRY_AT_THE_HEAD(
        "pending", redis -> settling(redis, o -> o, WrongKeyTypeContract::retried, ORDERED)),
    RESCHEDULE("scheduled", redis -> settling(redis, o -> o, WrongKeyTypeContract::snoozed)),
    RESCHEDULE_AT_THE_HEAD(
        "pending", redis -> settling(redis, o -> o, WrongKeyTypeContract::snoozed, ORDERED)),
    REQUEUE("pending", redis -> settling(redis, o -> o, Settlement.Requeue::new)),
    SETTLE_WITHOUT_LEASES("lease", redis -> settling(redis, o -> o, WrongKeyTypeContract::done)),
    SETTLE_WITHOUT_ACTIVE("active", redis -> settling(redis, o -> o, WrongKeyTypeContract::done)),
    RECOVER_TO_PENDING("pending", redis -> recovering(redis, 0)),
    RECOVER_TO_RETRY("retry", redis -> recovering(redis, 1)),
    RECOVER_TO_ARCHIVED("archived", redis -> recovering(redis, 2)),
    FORWARD(
        "pending",
        redis -> {
          redis.seed(TaskState.SCHEDULED, "s", T - 1);
          redis.seed(TaskState.RETRY, "r", T - 1);
          return () -> redis.upkeep().forward(Q, 100);
        }),
    CLAIM_WITHOUT_LEASES("lease", WrongKeyTypeContract::claiming),
    CLAIM_WITHOUT_ACTIVE("active", WrongKeyTypeContract::claiming),
    ENQUEUE("pending", redis -> enqueueing(redis, o -> o)),
    ENQUEUE_UNIQUE("pending", redis -> enqueueing(redis, o -> o.uniqueFor(HOUR))),
    SCHEDULE("scheduled", redis -> enqueueing(redis, o -> o.processIn(HOUR).uniqueFor(HOUR))),
    SCHEDULE_FOR_A_GROUP("groups", redis -> enqueueing(redis, o -> o.processIn(HOUR).group("g"))),
    GROUP("groups", redis -> enqueueing(redis, o -> o.group("g").uniqueFor(HOUR))),
    GROUP_MEMBERS("g:g", redis -> enqueueing(redis, o -> o.group("g").uniqueFor(HOUR))),
    AGGREGATE(
        "groups",
        redis -> {
          redis.seed(TaskState.AGGREGATING, "a", T);
          return () -> redis.aggregation().aggregate(Q, "g", AT_ONCE);
        }),
    FINISH_SET_INTO_PENDING("pending", redis -> finishing(redis, o -> o.uniqueFor(HOUR))),
    FINISH_SET_INTO_A_GROUP("g:other", redis -> finishing(redis, o -> o.group("other"))),
    FINISH_SET_WITHOUT_SPENT("spent", redis -> finishing(redis, o -> o)),
    RECLAIM("g:g", WrongKeyTypeContract::reclaiming),
    RECLAIM_WITHOUT_GROUPS("groups", WrongKeyTypeContract::reclaiming),
    QUARANTINE(
        "archived",
        redis -> {
          AggregationSet set = aggregated(redis);
          redis.raw(Command.HSET, key("t:a"), "msg", "\u0001not a message");
          return () -> redis.aggregation().read(set);
        }),
    FIRE("pending", redis -> firing(redis, o -> o.uniqueFor(HOUR))),
    FIRE_LATER("scheduled", redis -> firing(redis, o -> o.processIn(HOUR))),
    FIRE_INTO_A_GROUP("g:g", redis -> firing(redis, o -> o.group("g"))),
    RUN("pending", redis -> acting(redis, ids -> redis.actions().run(Q, ids))),
    RUN_OUT_OF_A_CONTAINER("retry", redis -> acting(redis, ids -> redis.actions().run(Q, ids))),
    RUN_OUT_OF_A_GROUP("groups", redis -> acting(redis, ids -> redis.actions().run(Q, ids))),
    ARCHIVE_WAITING(
        "retry",
        redis ->
            acting(
                redis,
                ids ->
                    redis
                        .actions()
                        .archive(Q, ids, ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST)
                        .answers())),
    RESCHEDULE_WAITING(
        "retry", redis -> acting(redis, ids -> redis.actions().reschedule(Q, ids, NEXT))),
    DELETE("retry", redis -> acting(redis, ids -> redis.actions().delete(Q, ids)));

    private final String target;
    private final Function<BrokerFixture, Runnable> preparation;

    Transition(String target, Function<BrokerFixture, Runnable> preparation) {
      this.target = target;
      this.preparation = preparation;
    }
  }

  @ParameterizedTest
  @EnumSource(Transition.class)
  default void aTransitionThatCannotBeFinishedChangesNothing(Transition transition) {
    Runnable attempt = transition.preparation.apply(redis());
    redis().raw(Command.SADD, RedisKeys.QUEUES, "q");
    redis().raw(Command.SET, key(transition.target), "of another type");
    String before = redis().world();

    assertThatThrownBy(attempt::run)
        .isInstanceOf(BrokerRefusedException.class)
        .hasMessageContaining("WRONGTYPE");

    assertThat(redis().world()).isEqualTo(before);
  }

  private static Settlement done(Claim claim) {
    return new Settlement.Complete(claim, Payload.ofUtf8("result"));
  }

  private static Settlement retried(Claim claim) {
    return new Settlement.Retry(claim, HOUR, "no", /* failure= */ true, /* precise= */ false, "at");
  }

  private static Settlement snoozed(Claim claim) {
    return new Settlement.Reschedule(claim, HOUR, /* precise= */ false);
  }

  private static Runnable settling(
      BrokerFixture redis,
      UnaryOperator<TaskOptions.Builder> options,
      Function<Claim, Settlement> settlement) {
    return settling(redis, options, settlement, QueueRules.NONE);
  }

  private static Runnable settling(
      BrokerFixture redis,
      UnaryOperator<TaskOptions.Builder> options,
      Function<Claim, Settlement> settlement,
      QueueRules rules) {
    redis.enqueue(redis.task("a", options), redis.task("b", options));
    List<Settlement> settlements = redis.claim(2).stream().map(settlement).toList();
    return () -> redis.source().settle(Q, settlements, rules, ArchiveRules.DEFAULT);
  }

  private static Runnable recovering(BrokerFixture redis, int crashes) {
    redis.enqueue("a", "b");
    for (Claim claim : redis.claim(2)) {
      redis.raw(Command.HSET, key("t:" + claim.id()), "crashes", Integer.toString(crashes));
    }
    redis.clock.advance(Duration.ofMinutes(1));
    return redis::recover;
  }

  private static Runnable claiming(BrokerFixture redis) {
    redis.enqueue("a", "b");
    return () -> redis.claim(2);
  }

  private static Runnable enqueueing(
      BrokerFixture redis, UnaryOperator<TaskOptions.Builder> options) {
    return () -> {
      EnqueueReply answer = redis.enqueue(redis.task("a", options)).get(0);
      if (answer.failure() != null) {
        throw answer.failure();
      }
    };
  }

  private static AggregationSet aggregated(BrokerFixture redis) {
    redis.seed(TaskState.AGGREGATING, "a", T);
    redis.seed(TaskState.AGGREGATING, "b", T);
    return redis.aggregation().aggregate(Q, "g", AT_ONCE).orElseThrow();
  }

  private static Runnable finishing(
      BrokerFixture redis, UnaryOperator<TaskOptions.Builder> options) {
    AggregationSet set = aggregated(redis);
    return () -> redis.aggregation().finish(set, redis.task("sum", options));
  }

  private static Runnable reclaiming(BrokerFixture redis) {
    AggregationSet set = aggregated(redis);
    return () -> redis.aggregation().giveBack(set);
  }

  private static Runnable firing(BrokerFixture redis, UnaryOperator<TaskOptions.Builder> options) {
    redis.broker.schedules().enroll(List.of(new Entry("e", Q, "* * * * *")));
    return () ->
        redis
            .broker
            .schedules()
            .fire(Q, List.of(new Firing("e", NOON, NEXT, redis.task("a", options))));
  }

  /** An operator's action on tasks of which the last cannot leave its container. */
  private static Runnable acting(BrokerFixture redis, Consumer<List<String>> action) {
    redis.seed(TaskState.SCHEDULED, "s", T + 60);
    redis.seed(TaskState.AGGREGATING, "g", T);
    redis.seed(TaskState.RETRY, "r", T + 60);
    return () -> action.accept(List.of("s", "g", "r"));
  }

  // ---- what must not keep a task from being settled ----

  @ParameterizedTest
  @ValueSource(strings = {"processed", "failed", "processed:" + DAY, "failed:" + DAY})
  default void aCounterThatCannotBeIncrementedDoesNotStopASettlement(String counter) {
    redis().enqueue("list", "text", "limit");
    List<Claim> claims = redis().claim(3);

    redis().raw(Command.RPUSH, key(counter), "of another type");
    assertThat(redis().settle(retried(claims.get(0)))).isEqualTo(SettleResult.APPLIED);
    assertThat(redis().rawText(Command.GET, key(counter))).isEqualTo("1");
    redis().raw(Command.SET, key(counter), "not a number");
    assertThat(redis().settle(retried(claims.get(1)))).isEqualTo(SettleResult.APPLIED);
    assertThat(redis().rawText(Command.GET, key(counter))).isEqualTo("1");
    redis().raw(Command.SET, key(counter), TOO_LARGE);
    assertThat(redis().settle(retried(claims.get(2)))).isEqualTo(SettleResult.APPLIED);
    assertThat(redis().rawText(Command.GET, key(counter))).isEqualTo("1");

    assertThat(redis().world()).contains("retry: {limit=").doesNotContain("active:", "lease:");
    if (counter.contains(":")) {
      assertThat(redis().raw(Command.TTL, key(counter))).isNotEqualTo(-1L);
    }
  }

  @Test
  default void aLockOfAnotherTypeStaysAndTheTaskIsSettled() {
    redis().enqueue(redis().task("a", o -> o.uniqueFor(HOUR)));
    Claim claim = redis().claimOne();
    redis().raw(Command.DEL, key(EnqueueContract.LOCK));
    redis().raw(Command.RPUSH, key(EnqueueContract.LOCK), "of another type");

    assertThat(redis().settle(done(claim))).isEqualTo(SettleResult.APPLIED);

    assertThat(redis().world())
        .contains(EnqueueContract.LOCK + ": [of another type]\n", "\nprocessed: 1\n")
        .doesNotContain("t:a", "active:", "lease:");
  }

  @Test
  default void aKeyOfAnotherTypeInThePlaceOfARecordIsReplacedWhenItsTaskIsKept() {
    redis()
        .enqueue(
            redis().task("a", o -> o.retention(HOUR)), redis().task("b", o -> o.retention(HOUR)));
    List<Claim> claims = redis().claim(2);
    redis().raw(Command.SET, key("t:a"), "of another type");

    assertThat(
            redis()
                .source()
                .settle(
                    Q,
                    claims.stream().map(WrongKeyTypeContract::done).toList(),
                    QueueRules.NONE,
                    ArchiveRules.DEFAULT))
        .containsExactly(SettleResult.APPLIED, SettleResult.APPLIED);

    assertThat(redis().tasks().task(Q, "a").result()).isEqualTo(Payload.ofUtf8("result"));
    assertThat(redis().tasks().task(Q, "b").state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  default void aTaskWithoutItsRecordIsSkippedAndTheOthersOfTheCallAreSettled() {
    redis().enqueue("a", "b");
    List<Claim> claims = redis().claim(2);
    redis().raw(Command.SET, key("t:a"), "of another type");

    assertThat(
            redis()
                .source()
                .settle(
                    Q,
                    claims.stream().map(WrongKeyTypeContract::retried).toList(),
                    QueueRules.NONE,
                    ArchiveRules.DEFAULT))
        .containsExactly(SettleResult.LEASE_LOST, SettleResult.APPLIED);

    assertThat(redis().world()).contains("active: [a]\n", "retry: {b=", "t:a: of another type\n");
  }

  // ---- what must not keep other tasks waiting ----

  @Test
  default void aBrokenArchiveKeepsNoOtherTaskFromBeingRecovered() {
    redis().enqueue("a", "b");
    redis().claim(2);
    redis().raw(Command.HSET, key("t:a"), "crashes", "2");
    redis().raw(Command.SET, key("archived"), "of another type");
    redis().clock.advance(Duration.ofMinutes(1));

    assertThatThrownBy(() -> redis().recover()).hasMessageContaining("WRONGTYPE");

    assertThat(redis().world())
        .contains("active: [a]\n", "lease: {a=", "pending: [b]\n", "t:a: {claim=", "crashes=2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"scheduled", "retry"})
  default void aBrokenSetOfWaitingTasksDoesNotStopTheOther(String broken) {
    TaskState sound = broken.equals("retry") ? TaskState.SCHEDULED : TaskState.RETRY;
    redis().seed(sound, "a", T - 1);
    redis().raw(Command.SET, key(broken), "of another type");

    assertThatThrownBy(() -> redis().upkeep().forward(Q, 100)).hasMessageContaining("WRONGTYPE");

    assertThat(redis().world()).contains("pending: [a]\n").doesNotContain(sound.word() + ": {");
  }

  @Test
  default void aTaskWhoseGroupIsBrokenWaitsAMinuteAndTheOthersAreForwarded() {
    redis().seed(TaskState.SCHEDULED, "a", T - 2);
    redis().raw(Command.HSET, key("t:a"), "group", "g");
    redis().seed(TaskState.SCHEDULED, "b", T - 1);
    redis().raw(Command.SET, key("g:g"), "of another type");

    assertThatThrownBy(() -> redis().upkeep().forward(Q, 100)).hasMessageContaining("WRONGTYPE");

    assertThat(redis().world())
        .contains("pending: [b]\n", "scheduled: {a=" + (T + 60) + "}\n", "t:a: {group=g, ");
  }

  @Test
  default void anEntryWhoseGroupIsBrokenKeepsNoOtherFromFiring() {
    Entry other = new Entry("other", Q, "* * * * *");
    redis().broker.schedules().enroll(List.of(new Entry("e", Q, "* * * * *"), other));
    redis().raw(Command.SET, key("g:g"), "of another type");

    assertThatThrownBy(
            () ->
                redis()
                    .broker
                    .schedules()
                    .fire(
                        Q,
                        List.of(
                            new Firing("e", NOON, NEXT, redis().task("a", o -> o.group("g"))),
                            new Firing("other", NOON, NEXT, redis().task("b")))))
        .hasMessageContaining("WRONGTYPE");

    assertThat(redis().world()).contains("pending: [b]\n").doesNotContain("t:a", "last:e=");
    assertThat(redis().broker.schedules().look(List.of(other)).values())
        .extracting(State::last)
        .containsExactly(NEXT);
  }

  @Test
  default void aBrokenSetOfAggregatedTasksKeepsNoOtherFromBeingDeleted() {
    AggregationSet set = aggregated(redis());
    redis().aggregation().finish(set, redis().task("sum"));
    redis().raw(Command.SET, key("spent:broken"), "of another type");
    redis().raw(Command.SADD, key("spent"), "broken");

    for (int i = 0; i < 3; i++) {
      redis().aggregation().sweep(Q, 100);
    }

    assertThat(redis().world()).doesNotContain("t:a: ", "t:b: ", "spent: ");
  }

  @Test
  default void aRecordOfAnotherTypeKeepsNoOtherTaskFromAnOperator() {
    redis().seed(TaskState.SCHEDULED, "a", T + 60);
    redis().seed(TaskState.SCHEDULED, "b", T + 60);
    redis().raw(Command.SET, key("t:a"), "of another type");

    assertThat(redis().actions().run(Q, List.of("b", "a")))
        .extracting(ActionAnswer::status)
        .first()
        .isEqualTo(Status.DONE);
    assertThat(redis().world()).contains("pending: [b]\n", "scheduled: {a=");

    redis().actions().deleteAll(Q, TaskState.SCHEDULED, null, done -> {});
    assertThat(redis().world()).doesNotContain("t:a", "scheduled");
  }

  @Test
  default void anIdThatIsNamedTwiceIsMovedOnce() {
    redis().seed(TaskState.SCHEDULED, "a", T + 60);
    redis().seed(TaskState.SCHEDULED, "b", T + 60);

    redis().actions().run(Q, List.of("a", "a"));
    redis().actions().archive(Q, List.of("b", "b"), ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST);

    assertThat(redis().world()).contains("pending: [a]\n", "archived: {b=" + T + "}\n");
  }
}
