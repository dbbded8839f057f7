package io.asynq4j.internal.redis.store;

import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static io.asynq4j.fixture.BrokerFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.TestTime;
import io.asynq4j.internal.broker.Aggregation.AggregationSet;
import io.asynq4j.internal.broker.Aggregation.FinishAnswer;
import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.internal.broker.Aggregation.SetContent;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer.Status;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol.Command;

/** Aggregation of the tasks of a group: requirements g01 to g13. */
public interface AggregationContract {

  BrokerFixture redis();

  GroupRules AT_ONCE = rules(0, 0, 0);

  ActionAnswer TAKEN = new ActionAnswer(Status.WRONG_STATE, TaskState.AGGREGATING);

  private static GroupRules rules(int maxSize, long maxDelay, long grace) {
    return new GroupRules(
        maxSize,
        Duration.ofSeconds(maxDelay),
        Duration.ofSeconds(grace),
        GroupRules.DEFAULT_TIMEOUT);
  }

  private void group(String... ids) {
    for (String id : ids) {
      redis().enqueue(redis().task(id, o -> o.group("g")));
    }
  }

  private AggregationSet takeAll() {
    return redis().aggregation().aggregate(Q, "g", AT_ONCE).orElseThrow();
  }

  /** Everything, with the random name of a set replaced. */
  private String worldWith(AggregationSet set) {
    return redis().world().replace(set.setId(), "SET");
  }

  /** A task that others were made into. */
  private NewTask sum(String id, UnaryOperator<TaskOptions.Builder> options) {
    TaskOptions all = TaskOptions.of(o -> options.apply(o.id(id).queue("q")));
    return NewTask.of(Task.of("sum", Payload.ofUtf8("all")), all, redis().clock.instant());
  }

  private NewTask sum(String id) {
    return sum(id, o -> o);
  }

  // ---- when a group is ready ----

  @Test
  default void g01_anEmptyGroupGivesNoSetAndStaysListed() {
    redis().raw(Command.SADD, key("groups"), "g");

    assertThat(redis().aggregation().aggregate(Q, "g", AT_ONCE)).isEmpty();

    assertThat(redis().world()).isEqualTo("groups: [g]\n");
  }

  @Test
  default void g02_g09_aFullGroupIsPutAsideForTwoMinutesAndListedNoMore() {
    group("a", "b");

    AggregationSet set = redis().aggregation().aggregate(Q, "g", rules(2, 0, 1000)).orElseThrow();

    assertThat(set.size()).isEqualTo(2);
    assertThat(worldWith(set))
        .isEqualTo(
            """
            aggregation_sets: {asynq:{q}:g:g:SET=4102488120}
            asynq:queues: [q]
            g:g:SET: {a=4102488000, b=4102488000}
            t:a: {group=g, msg=t(p) retry 0/25 timeout 1800 group g, state=aggregating}
            t:b: {group=g, msg=t(p) retry 0/25 timeout 1800 group g, state=aggregating}
            """);
    assertThat(redis().aggregation().read(set).deadline()).isEqualTo(NOON.plusSeconds(120));
  }

  @Test
  default void g03_ofMoreThanEnoughTheOldestArePutAside() {
    group("z");
    redis().clock.advance(Duration.ofSeconds(1));
    group("a", "b");

    AggregationSet set = redis().aggregation().aggregate(Q, "g", rules(2, 0, 1000)).orElseThrow();

    assertThat(worldWith(set))
        .contains("g:g: {b=4102488001}\n", "g:g:SET: {z=4102488000, a=4102488001}\n")
        .contains("groups: [g]\n");
  }

  @Test
  default void g04ToG08_aGroupIsReadyByItsSizeOrItsOldestOrItsNewest() {
    assertThat(isReady(rules(3, 0, 1000), 1, 2, 3)).isEqualTo(3);
    assertThat(isReady(rules(3, 0, 1000), 1, 2, 3, 4)).isEqualTo(3);
    assertThat(isReady(rules(0, 50, 1000), 50, 99)).isEqualTo(2);
    assertThat(isReady(rules(0, 50, 1000), 51, 99)).isZero();
    assertThat(isReady(rules(0, 0, 10), 50, 90)).isEqualTo(2);
    assertThat(isReady(rules(0, 0, 10), 50, 91)).isZero();
    assertThat(isReady(rules(10, 0, 10), 50, 90)).isEqualTo(2);
    assertThat(isReady(rules(3, 50, 10), 1, 2, 99, 99)).isEqualTo(3);
  }

  /** How many are put aside at 100 of tasks that came at these times. */
  private int isReady(GroupRules rules, long... times) {
    redis().raw(Command.DEL, key("g:g"));
    for (int i = 0; i < times.length; i++) {
      redis().raw(Command.ZADD, key("g:g"), Long.toString(T - 100 + times[i]), "t" + i);
    }
    return redis().aggregation().aggregate(Q, "g", rules).map(AggregationSet::size).orElse(0);
  }

  @Test
  default void partsOfASecondAreRoundedUpSoThatNothingIsTakenEarly() {
    redis().raw(Command.ZADD, key("g:g"), Long.toString(T - 1), "a");
    GroupRules grace =
        new GroupRules(0, Duration.ZERO, Duration.ofMillis(1_100), Duration.ofMinutes(2));
    GroupRules delay =
        new GroupRules(0, Duration.ofMillis(1_100), Duration.ofHours(1), Duration.ofMinutes(2));

    assertThat(redis().aggregation().aggregate(Q, "g", grace)).isEmpty();
    assertThat(redis().aggregation().aggregate(Q, "g", delay)).isEmpty();

    redis().clock.advance(Duration.ofSeconds(1));
    assertThat(redis().aggregation().aggregate(Q, "g", delay)).isPresent();
  }

  @Test
  default void manyArePutAsideInOneStep() {
    manyInGroup(2_500);

    AggregationSet set = redis().aggregation().aggregate(Q, "g", rules(2_200, 0, 0)).orElseThrow();

    assertThat(set.size()).isEqualTo(2_200);
    assertThat(redis().raw(Command.ZCARD, key("g:g:" + set.setId()))).isEqualTo(2_200L);
    assertThat(redis().raw(Command.ZCARD, key("g:g"))).isEqualTo(300L);
  }

  private void manyInGroup(int count) {
    redis().enqueueMany(count, o -> o.group("g"));
  }

  @Test
  default void g13_groupsAreListedPerQueue() {
    group("a");
    redis().enqueue(redis().task("b", o -> o.group("other")));
    redis().enqueue(redis().task("c", o -> o.queue("low").group("lows")));

    assertThat(redis().aggregation().groups(Q)).containsExactly("g", "other");
    assertThat(redis().aggregation().groups(QueueName.of("low"))).containsExactly("lows");
    assertThat(redis().aggregation().groups(QueueName.of("none"))).isEmpty();
  }

  // ---- reading ----

  @Test
  default void aSetIsReadInTheOrderInWhichItsTasksCameHoweverLargeItIs() {
    group("last");
    redis().raw(Command.ZADD, key("g:g"), Long.toString(T + 1), "last");
    manyInGroup(1_000);
    redis().clock.advance(Duration.ofSeconds(1));

    SetContent content = redis().aggregation().read(takeAll());

    assertThat(content.messages()).hasSize(1_001);
    assertThat(content.messages().get(0).id()).isEqualTo("t0000");
    assertThat(content.messages().get(1_000).id()).isEqualTo("last");
  }

  @Test
  default void anUnreadableMemberIsArchivedAndDoesNotHideTheOthers() {
    group("a", "b", "c", "d");
    redis().raw(Command.HSET, RedisKeys.task(Q, "b"), "msg", "\u0001not a message");
    redis().raw(Command.DEL, RedisKeys.task(Q, "c"));

    AggregationSet set = takeAll();

    SetContent content = redis().aggregation().read(set);

    assertThat(content.messages()).extracting(TaskMessage::id).containsExactly("a", "d");
    redis().aggregation().finish(set, null);
    redis().aggregation().sweep(Q, 200);
    assertThat(redis().world())
        .contains("archived: {b=", "quarantine=its message cannot be read", "\nfailed: 1\n")
        .doesNotContain("t:a", "t:c", "t:d");
  }

  @Test
  default void aSetThatHasGoneBackIsReadAsEmptyAndNoLongerReserved() {
    group("a");
    AggregationSet set = takeAll();
    redis().aggregation().giveBack(set);

    assertThat(redis().aggregation().read(set)).isEqualTo(new SetContent(List.of(), null));
  }

  // ---- finishing ----

  @Test
  default void fixesQ36_g10_theTasksOfASetAreReplacedByOneInOneStepAndSweptAfterwards() {
    group("a", "b");
    AggregationSet set = takeAll();
    redis().enqueue(redis().task("c", o -> o.group("other")));
    AggregationSet other = redis().aggregation().aggregate(Q, "other", AT_ONCE).orElseThrow();

    assertThat(redis().aggregation().finish(set, sum("s"))).isEqualTo(FinishAnswer.DONE);

    assertThat(worldWith(set).replace(other.setId(), "OTHER"))
        .isEqualTo(
            """
            aggregation_sets: {asynq:{q}:g:other:OTHER=4102488120}
            asynq:queues: [q]
            g:other:OTHER: {c=4102488000}
            pending: [s]
            spent: [SET] for 7776000s
            spent:SET: {a=4102488000, b=4102488000} for 7776000s
            t:a: {group=g, msg=t(p) retry 0/25 timeout 1800 group g, state=aggregating}
            t:b: {group=g, msg=t(p) retry 0/25 timeout 1800 group g, state=aggregating}
            t:c: {group=other, msg=t(p) retry 0/25 timeout 1800 group other, state=aggregating}
            t:s: {msg=sum(all) retry 0/25 timeout 1800, pending_since=4102488000000000000, state=pending}
            """);
    assertThat(redis().aggregation().sweep(Q, 10)).isEqualTo(2);
    assertThat(redis().world().replace(other.setId(), "OTHER"))
        .isEqualTo(
            """
            aggregation_sets: {asynq:{q}:g:other:OTHER=4102488120}
            asynq:queues: [q]
            g:other:OTHER: {c=4102488000}
            pending: [s]
            t:c: {group=other, msg=t(p) retry 0/25 timeout 1800 group other, state=aggregating}
            t:s: {msg=sum(all) retry 0/25 timeout 1800, pending_since=4102488000000000000, state=pending}
            """);
  }

  @Test
  default void fixesQ36_aSetIsFinishedOnce() {
    group("a");
    AggregationSet set = takeAll();
    redis().aggregation().finish(set, sum("s"));
    String before = redis().world();

    assertThat(redis().aggregation().finish(set, sum("again"))).isEqualTo(FinishAnswer.SET_LOST);

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void aSetThatHasGoneBackCannotBeFinished() {
    group("a");
    AggregationSet set = takeAll();
    redis().clock.advance(Duration.ofMinutes(2));
    redis().aggregation().reclaimStale(Q);
    String before = redis().world();

    assertThat(redis().aggregation().finish(set, sum("s"))).isEqualTo(FinishAnswer.SET_LOST);

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void aSetCanBeFinishedWithoutATaskMadeOfIt() {
    group("a");
    AggregationSet set = takeAll();

    assertThat(redis().aggregation().finish(set, null)).isEqualTo(FinishAnswer.DONE);
    redis().aggregation().sweep(Q, 10);

    assertThat(redis().world()).isEqualTo("asynq:queues: [q]\n");
  }

  @Test
  default void fixesW04_aDuplicateOrAConflictLeavesTheSetAsItWas() {
    group("a");
    redis().enqueue(sum("s", o -> o.uniqueFor(Duration.ofHours(1))));
    AggregationSet set = takeAll();
    String before = redis().world();

    assertThat(redis().aggregation().finish(set, sum("s"))).isEqualTo(FinishAnswer.ID_CONFLICT);
    assertThat(redis().aggregation().finish(set, sum("s2", o -> o.uniqueFor(Duration.ofHours(1)))))
        .isEqualTo(FinishAnswer.DUPLICATE);

    assertThat(redis().world()).isEqualTo(before);
    assertThat(redis().aggregation().finish(set, sum("s3"))).isEqualTo(FinishAnswer.DONE);
  }

  @Test
  default void fixesQ02_fixesQ11_locksOfMembersAreReleased() {
    redis().enqueue(redis().task("a", o -> o.group("g").uniqueFor(Duration.ofHours(1))));

    redis().aggregation().finish(takeAll(), sum("s"));
    redis().aggregation().sweep(Q, 10);

    assertThat(redis().enqueue(redis().task("b", o -> o.uniqueFor(Duration.ofHours(1)))))
        .containsExactly(EnqueueReply.ENQUEUED);
  }

  @Test
  default void theTaskMadeOfASetMayBeScheduledAndUnique() {
    group("a");
    NewTask later =
        sum("s", o -> o.processIn(Duration.ofSeconds(90)).uniqueFor(Duration.ofSeconds(10)));

    redis().aggregation().finish(takeAll(), later);
    redis().aggregation().sweep(Q, 10);

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            scheduled: {s=4102488090}
            t:s: {msg=sum(all) retry 0/25 timeout 1800 unique, state=scheduled, \
            unique_key=asynq:{q}:unique:sum:a181a603769c1f98ad927e7367c7aa51}
            unique:sum:a181a603769c1f98ad927e7367c7aa51: s for 100s
            """);
  }

  @Test
  default void theTaskMadeOfASetMayWaitForAnExactInstant() {
    redis().clock.set(NOON.plusNanos(900_000));
    group("a");

    redis()
        .aggregation()
        .finish(takeAll(), sum("s", o -> o.processAt(NOON.plusMillis(2_500)).precise()));

    assertThat(redis().world()).contains("scheduled: {s=4102488002}\n", "due_ms=4102488002500");
  }

  @Test
  default void theTaskMadeOfASetMayBelongToAGroupItself() {
    group("a");

    redis().aggregation().finish(takeAll(), sum("s", o -> o.group("sums")));
    redis().aggregation().sweep(Q, 10);

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            g:sums: {s=4102488000}
            groups: [sums]
            t:s: {group=sums, msg=sum(all) retry 0/25 timeout 1800 group sums, state=aggregating}
            """);
  }

  @Test
  default void theTaskMadeOfASetStaysInItsQueue() {
    group("a");
    AggregationSet set = takeAll();

    assertThatThrownBy(() -> redis().aggregation().finish(set, sum("s", o -> o.queue("low"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("queue low");
  }

  @Test
  default void whatIsSpentIsSweptInBoundedSteps() {
    manyInGroup(1_100);
    redis().aggregation().finish(takeAll(), sum("s"));

    List<Integer> swept = new ArrayList<>();
    int last;
    do {
      last = redis().aggregation().sweep(Q, 1_000);
      swept.add(last);
    } while (last > 0);

    assertThat(swept).hasSize(23).endsWith(50, 50, 0).allMatch(count -> count <= 50);
    assertThat(redis().world()).doesNotContain("t:t0", "spent");
  }

  @Test
  default void aSpentSetThatHasVanishedDoesNotKeepOthersFromBeingSwept() {
    redis().raw(Command.SADD, key("spent"), "gone", "gone-too", "there");
    redis().raw(Command.ZADD, key("spent:there"), "1", "a");
    redis().seedRecord(TaskState.AGGREGATING, "a");

    assertThat(redis().aggregation().sweep(Q, 10)).isEqualTo(1);

    assertThat(redis().world()).isEmpty();
  }

  // ---- giving back ----

  @Test
  default void g12_fixesQ05_aStaleSetGoesBackToItsGroupWithItsTimesAndTheGroupIsListed() {
    group("a");
    redis().clock.advance(Duration.ofSeconds(1));
    group("b");
    String before = redis().world();
    takeAll();
    redis().clock.advance(Duration.ofSeconds(119));
    assertThat(redis().aggregation().reclaimStale(Q)).isZero();

    redis().clock.advance(Duration.ofSeconds(1));

    assertThat(redis().aggregation().reclaimStale(Q)).isEqualTo(2);
    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void g12_setsUnderWayAreLeftAlone() {
    group("a");
    AggregationSet stale = takeAll();
    redis().clock.advance(Duration.ofSeconds(60));
    group("b");
    AggregationSet live = takeAll();
    redis().clock.advance(Duration.ofSeconds(60));

    redis().aggregation().reclaimStale(Q);

    assertThat(redis().world().replace(live.setId(), "LIVE"))
        .contains("aggregation_sets: {asynq:{q}:g:g:LIVE=4102488180}\n")
        .contains("g:g: {a=4102488000}\n", "g:g:LIVE: {b=4102488060}\n")
        .doesNotContain(stale.setId());
  }

  @Test
  default void aSetGoesBackBesideWhatHasComeToItsGroupMeanwhile() {
    group("b");
    AggregationSet set = takeAll();
    redis().clock.advance(Duration.ofSeconds(1));
    group("a");

    assertThat(redis().aggregation().giveBack(set)).isEqualTo(1);

    assertThat(redis().world())
        .contains("g:g: {b=4102488000, a=4102488001}\n", "groups: [g]\n")
        .doesNotContain("aggregation_sets");
    assertThat(redis().aggregation().giveBack(set)).isZero();
  }

  @Test
  default void theGroupOfASetIsFoundWhateverItsName() {
    redis().enqueue(redis().task("a", o -> o.group("sms:user:1")));
    String before = redis().world();
    AggregationSet set = redis().aggregation().aggregate(Q, "sms:user:1", AT_ONCE).orElseThrow();

    redis().aggregation().giveBack(set);

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void aLargeSetGoesBackInPartsAndCannotBeFinishedOnceThatHasBegun() {
    manyInGroup(1_000);
    AggregationSet set = takeAll();
    group("new");
    ScriptRunner scripts = new ScriptRunner(redis().link, new TestTime(redis().clock));
    CommandArgs part =
        new CommandArgs().add(RedisKeys.aggregationSet(Q, "g", set.setId())).add(200);
    scripts.run(Script.RECLAIM, Q, part);

    assertThat(redis().aggregation().finish(set, sum("s"))).isEqualTo(FinishAnswer.SET_LOST);
    assertThat(redis().aggregation().read(set).deadline()).isNull();

    // Any process goes on with it, at once.
    assertThat(redis().aggregation().reclaimStale(Q)).isEqualTo(800);
    assertThat(redis().raw(Command.ZCARD, key("g:g"))).isEqualTo(1_001L);
    assertThat(redis().raw(Command.EXISTS, key("aggregation_sets"))).isEqualTo(0L);
  }

  // ---- what others see of a set ----

  @Test
  default void fixesW44_tasksInASetAreCounted() {
    group("a", "b");
    takeAll();
    group("c");

    assertThat(redis().queues().snapshot(Q).size(TaskState.AGGREGATING)).isEqualTo(3);
    assertThat(redis().queues().snapshot(Q).size()).isEqualTo(3);
  }

  @Test
  default void fixesQ37_aTaskInASetBelongsToItsAggregator() {
    group("a");
    AggregationSet set = takeAll();

    nobodyElseCanTouch("a");

    redis().aggregation().giveBack(set);
    assertThat(redis().actions().run(Q, List.of("a")))
        .containsExactly(new ActionAnswer(Status.DONE, null));
  }

  @Test
  default void aTaskThatHasBecomePartOfAnotherCannotBeBroughtBack() {
    group("a");
    redis().aggregation().finish(takeAll(), sum("s"));

    nobodyElseCanTouch("a");
  }

  private void nobodyElseCanTouch(String id) {
    String before = redis().world();
    List<String> ids = List.of(id);

    assertThat(redis().actions().run(Q, ids)).containsExactly(TAKEN);
    assertThat(
            redis().actions().archive(Q, ids, ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST).answers())
        .containsExactly(TAKEN);
    assertThat(redis().actions().delete(Q, ids)).containsExactly(TAKEN);
    assertThatThrownBy(() -> redis().taskEdits().updatePayload(Q, id, Payload.ofUtf8("new")))
        .isInstanceOf(TaskStateException.class)
        .hasMessageContaining("aggregating");

    assertThat(redis().world()).isEqualTo(before);
  }
}
