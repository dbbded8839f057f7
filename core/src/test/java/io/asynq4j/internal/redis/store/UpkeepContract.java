package io.asynq4j.internal.redis.store;

import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static io.asynq4j.fixture.BrokerFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.TestTime;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.Upkeep;
import io.asynq4j.internal.broker.Upkeep.Forwarded;
import io.asynq4j.internal.broker.Upkeep.Recovered;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.CrashRules.Recovery;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Protocol.Command;

/** Duties of a server in the store: requirements r06 to r10, f02, j01 and v01 to v05. */
interface UpkeepContract {

  BrokerFixture redis();

  // ---- forward ----

  @Test
  default void r06_f02_whatIsDueNowBecomesPendingAndTheTimeIsNoted() {
    redis().seed(TaskState.SCHEDULED, "s", T);
    redis().seed(TaskState.RETRY, "r", T - 1);

    assertThat(redis().upkeep().forward(Q, 100)).isEqualTo(new Forwarded(2, null));

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            pending: [r, s]
            t:r: {msg=t(p) retry 0/25 timeout 1800, pending_since=4102488000000000000, state=pending}
            t:s: {msg=t(p) retry 0/25 timeout 1800, pending_since=4102488000000000000, state=pending}
            """);
  }

  @Test
  default void theNextDueTimeIsByTheClockThatIsFollowedWhereTheServerOfAQueueHasAnother() {
    redis().seed(TaskState.SCHEDULED, "s", T + 10);
    BrokerTime apart = BrokerFixture.apart(redis().clock, Duration.ofSeconds(60));

    assertThat(
            RedisBroker.on(redis().link, apart, /* numberedEnqueue= */ true)
                .upkeep()
                .forward(Q, 100))
        .isEqualTo(new Forwarded(0, NOON.plusSeconds(70)));
  }

  @Test
  default void aTimeInTheFarFutureIsStillATime() {
    redis().seed(TaskState.SCHEDULED, "s", T + 10);
    redis().raw(Command.ZADD, BrokerFixture.key("scheduled"), "inf", "s");

    assertThat(redis().upkeep().forward(Q, 100).nextDue()).isAfter(NOON.plusSeconds(1_000_000_000));
  }

  @Test
  default void r07_tasksThatAreNotDueStayAndTheNextDueTimeIsReturned() {
    redis().seed(TaskState.SCHEDULED, "s", T + 10);
    redis().seed(TaskState.RETRY, "r", T + 5);
    String before = redis().world();

    assertThat(redis().upkeep().forward(Q, 100)).isEqualTo(new Forwarded(0, NOON.plusSeconds(5)));

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void nothingWaitsInAnEmptyQueue() {
    assertThat(redis().upkeep().forward(Q, 100)).isEqualTo(new Forwarded(0, null));
  }

  @Test
  default void r08_eachQueueIsForwardedByItself() {
    redis().seed(TaskState.SCHEDULED, "s", T);
    String before = redis().world();

    assertThat(redis().upkeep().forward(QueueName.of("other"), 100).moved()).isZero();

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void theEarliestIsForwardedFirstAndEqualTimesGoById() {
    redis().seed(TaskState.RETRY, "z", 5);
    redis().seed(TaskState.RETRY, "a", 5);
    redis().seed(TaskState.RETRY, "m", 3);

    redis().upkeep().forward(Q, 100);

    assertThat(redis().world()).contains("pending: [z, a, m]\n");
    assertThat(redis().claim(3)).extracting(Claim::id).containsExactly("m", "a", "z");
    assertThat(redis().world()).contains("active: [z, a, m]\n");
  }

  @Test
  default void aTaskWithAnExactTimeWaitsForItWithinItsSecond() {
    redis().enqueue(precise("early", 100), precise("late", 700), precise("next", 1_300));
    redis().clock.advance(Duration.ofMillis(99));
    assertThat(redis().upkeep().forward(Q, 100)).isEqualTo(new Forwarded(0, NOON.plusMillis(100)));

    redis().clock.advance(Duration.ofMillis(1));

    assertThat(redis().upkeep().forward(Q, 100)).isEqualTo(new Forwarded(1, NOON.plusMillis(700)));
    assertThat(redis().world())
        .contains("pending: [early]\n", "scheduled: {late=4102488000, next=4102488001}\n");
    redis().clock.set(NOON.plusMillis(700));
    // The exact time of a later second is only known once that has begun.
    assertThat(redis().upkeep().forward(Q, 100)).isEqualTo(new Forwarded(1, NOON.plusSeconds(1)));
    redis().clock.set(NOON.plusSeconds(1));
    assertThat(redis().upkeep().forward(Q, 100))
        .isEqualTo(new Forwarded(0, NOON.plusMillis(1_300)));
    redis().clock.set(NOON.plusSeconds(2));
    assertThat(redis().upkeep().forward(Q, 100)).isEqualTo(new Forwarded(1, null));
    assertThat(redis().world()).contains("pending: [next, late, early]\n").doesNotContain("due_ms");
  }

  private NewTask precise(String id, long millis) {
    return redis().task(id, o -> o.processIn(Duration.ofMillis(millis)).precise());
  }

  @Test
  default void anExactTimeThatIsNotOfThisSecondIsLeftFromBefore() {
    // A Go inspector ran it early and a Go worker retried it: both keep the field they do not know.
    redis().seed(TaskState.RETRY, "a", T - 1);
    redis().seed(TaskState.RETRY, "b", T);
    redis().raw(Command.HSET, RedisKeys.task(Q, "a"), "due_ms", Long.toString((T + 3600) * 1000));
    redis().raw(Command.HSET, RedisKeys.task(Q, "b"), "due_ms", Long.toString((T + 3600) * 1000));
    assertThat(redis().tasks().task(Q, "b").nextProcessAt()).isEqualTo(NOON);

    assertThat(redis().upkeep().forward(Q, 100)).isEqualTo(new Forwarded(2, null));

    assertThat(redis().world()).contains("pending: [b, a]\n").doesNotContain("due_ms");
  }

  @Test
  default void aForwardIsBoundedAndReportsThatThereIsMore() {
    for (int i = 0; i < 5; i++) {
      redis().seed(TaskState.SCHEDULED, "s" + i, T - 10 + i);
    }
    redis().seed(TaskState.RETRY, "r", T);

    assertThat(redis().upkeep().forward(Q, 3)).isEqualTo(new Forwarded(3, NOON));
    assertThat(redis().upkeep().forward(Q, 3)).isEqualTo(new Forwarded(3, NOON));
    assertThat(redis().upkeep().forward(Q, 3)).isEqualTo(new Forwarded(0, null));

    assertThat(redis().world()).contains("pending: [r, s4, s3, s2, s1, s0]\n");
  }

  @Test
  default void r09_fixesQ04_aGroupedTaskIsForwardedIntoItsGroupAndTheGroupIsListed() {
    redis().seed(TaskState.RETRY, "a", T - 5);
    redis().raw(Command.HSET, RedisKeys.task(Q, "a"), "group", "g");
    redis().seed(TaskState.RETRY, "b", T - 5);
    redis().raw(Command.HSET, RedisKeys.task(Q, "b"), "group", "");

    redis().upkeep().forward(Q, 100);

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            g:g: {a=4102488000}
            groups: [g]
            pending: [b]
            t:a: {group=g, msg=t(p) retry 0/25 timeout 1800, state=aggregating}
            t:b: {group=, msg=t(p) retry 0/25 timeout 1800, pending_since=4102488000000000000, state=pending}
            """);
  }

  @Test
  default void fixesQ09_anIdWithoutARecordIsNotForwarded() {
    redis().raw(Command.ZADD, key("scheduled"), Long.toString(T), "ghost");
    redis().raw(Command.ZADD, key("retry"), Long.toString(T), "stray");
    redis().raw(Command.HSET, RedisKeys.task(Q, "stray"), "result", "late");

    redis().upkeep().forward(Q, 100);

    assertThat(redis().world()).isEmpty();
  }

  @Test
  default void aPausedQueueIsForwardedToo() {
    redis().seed(TaskState.SCHEDULED, "a", T);
    redis().queueControl().pause(Q);

    assertThat(redis().upkeep().forward(Q, 100).moved()).isEqualTo(1);

    assertThat(redis().world()).contains("pending: [a]\n");
  }

  // ---- recover ----

  @Test
  default void v01_theFirstCrashBringsATaskBackToTheHeadWithoutCostingARetry() {
    redis().enqueue("a", "b");
    redis().claimOne();
    redis().clock.advance(Duration.ofSeconds(16));

    assertThat(redis().recover()).containsExactly(new Recovered("a", Recovery.PENDING));

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            pending: [b, a]
            t:a: {crashes=1, msg=t(p) retry 0/25 timeout 1800 failed 4102488016 error \
            'asynq: task lease expired', pending_since=4102488016000000000, state=pending}
            t:b: {msg=t(p) retry 0/25 timeout 1800, pending_since=4102488000000000000, state=pending}
            """);
  }

  @Test
  default void theSecondCrashDelaysTheNextAttempt() {
    crashed(1);

    assertThat(redis().recover()).containsExactly(new Recovered("a", Recovery.RETRY));

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            retry: {a=4102488062}
            t:a: {crashes=2, msg=t(p) retry 0/25 timeout 1800 failed 4102488032 error \
            'asynq: task lease expired', state=retry}
            """);
  }

  @Test
  default void v02_fixesQ32_theThirdCrashIsTheLastAndCountsAsAFailure() {
    crashed(1);
    redis().raw(Command.HSET, RedisKeys.task(Q, "a"), "crashes", "2");

    assertThat(redis().recover()).containsExactly(new Recovered("a", Recovery.ARCHIVE));

    assertThat(redis().world())
        .isEqualTo(
            """
            archived: {a=4102488032}
            asynq:queues: [q]
            failed: 1
            failed:2100-01-01: 1 until 4110264032
            processed: 1
            processed:2100-01-01: 1 until 4110264032
            t:a: {crashes=3, msg=t(p) retry 0/25 timeout 1800 failed 4102488032 error \
            'asynq: task lease expired', state=archived}
            """);
  }

  /** Task a, after this many crashes, claimed by another worker that is gone. */
  private void crashed(int crashes) {
    redis().enqueue("a");
    for (int i = 0; i < crashes; i++) {
      redis().claimOne();
      redis().clock.advance(Duration.ofSeconds(16));
      redis().recover();
    }
    redis().claimOne();
    redis().clock.advance(Duration.ofSeconds(16));
  }

  @Test
  default void theDelayDoublesAndTheLimitCanBeSet() {
    CrashRules patient = new CrashRules(5, Duration.ofSeconds(10), Duration.ofSeconds(30));
    crashed(1);
    redis().raw(Command.HSET, RedisKeys.task(Q, "a"), "crashes", "3");

    redis().upkeep().recover(Q, 10, patient, QueueRules.NONE, ArchiveRules.DEFAULT);

    assertThat(redis().world()).contains("retry: {a=" + (T + 32 + 40) + "}\n");
  }

  @Test
  default void anAttemptThatEndsByItselfForgetsTheCrashes() {
    redis().enqueue("a");
    redis().claimOne();
    redis().clock.advance(Duration.ofSeconds(16));
    redis().recover();
    redis().settle(new Settlement.Retry(redis().claimOne(), Duration.ZERO, "no", true, false));
    redis().upkeep().forward(Q, 1);
    redis().claimOne();
    redis().clock.advance(Duration.ofSeconds(16));

    assertThat(redis().recover()).containsExactly(new Recovered("a", Recovery.PENDING));
  }

  @Test
  default void v03_aLeaseThatHasNotRunOutIsLeftAlone() {
    redis().enqueue("a");
    redis().claimOne();
    redis().clock.advance(Duration.ofSeconds(15));
    String before = redis().world();

    assertThat(redis().recover()).isEmpty();

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void v03_aGoWorkersLeaseIsGivenHalfAMinuteMore() {
    redis().seed(TaskState.ACTIVE, "go", T);
    redis().clock.set(NOON.plusSeconds(29));
    assertThat(redis().recover()).isEmpty();

    redis().clock.set(NOON.plusSeconds(30));

    assertThat(redis().recover()).containsExactly(new Recovered("go", Recovery.PENDING));
    assertThat(redis().world()).contains("pending: [go]\n").doesNotContain("active", "lease:");
  }

  @Test
  default void oursAreRecoveredAtOnceAmongManyOfGoThatAreNotYet() {
    for (int i = 0; i < 5; i++) {
      redis().seed(TaskState.ACTIVE, "go" + i, T + 1);
    }
    redis().enqueue("a");
    redis().claimOne();
    redis().clock.advance(Duration.ofSeconds(16));

    assertThat(redis().recover()).containsExactly(new Recovered("a", Recovery.PENDING));
  }

  @Test
  default void v04_whereSeveralAreRecoveredTheyStandAtTheHeadInTheirOldOrder() {
    redis().enqueue("z", "a", "m", "k", "later");
    redis().claim(3);
    List<Claim> second = redis().claim(1);
    redis().clock.advance(Duration.ofSeconds(5));
    redis().source().extend(Q, second, BrokerFixture.LEASE);
    redis().clock.advance(Duration.ofSeconds(30));

    assertThat(redis().recover()).hasSize(4);

    assertThat(redis().claim(9)).extracting(Claim::id).containsExactly("z", "a", "m", "k", "later");
  }

  @Test
  default void v04_aRecoveryIsBounded() {
    redis().enqueue("a", "b", "c");
    redis().claim(3);
    redis().clock.advance(Duration.ofSeconds(16));

    assertThat(
            redis()
                .upkeep()
                .recover(Q, 2, CrashRules.DEFAULT, QueueRules.NONE, ArchiveRules.DEFAULT))
        .hasSize(2);
    assertThat(redis().recover()).hasSize(1);
  }

  @Test
  default void v05_whereNothingIsActiveNothingIsRecovered() {
    redis().enqueue("a");
    String before = redis().world();

    assertThat(redis().recover()).isEmpty();

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void fixesQ13_aLeaseThatWasExtendedMeanwhileIsLeftAlone() {
    redis().enqueue("a", "b");
    List<Claim> claims = redis().claim(2);
    redis().clock.advance(Duration.ofSeconds(16));
    ScriptRunner scripts = new ScriptRunner(redis().link, new TestTime(redis().clock));
    List<?> expired =
        ReplyParser.list(scripts.run(Script.EXPIRED, Q, new CommandArgs().add(10).add(30)));
    redis().source().extend(Q, claims.subList(0, 1), BrokerFixture.LEASE);

    CommandArgs args = new CommandArgs().add(false).add(100).add(100).add(false);
    for (int i = 1; i < expired.size(); i += 5) {
      args.add((byte[]) expired.get(i)).add((byte[]) expired.get(i + 1)).add("pending");
      args.add((byte[]) expired.get(i + 4)).addEmpty().add(0).addEmpty();
    }
    List<?> answers = ReplyParser.list(scripts.run(Script.RECOVER, Q, args));

    assertThat(answers).asString().isEqualTo("[0, 1, 0]");
    assertThat(redis().world()).contains("active: [a]\n", "pending: [b]\n");
    assertThat(redis().settle(new Settlement.Drop(claims.get(0)))).isEqualTo(SettleResult.APPLIED);
  }

  @Test
  default void fixesQ12_anUnreadableTaskAmongExpiredOnesIsArchivedAndTheOthersRecovered() {
    redis().enqueue("a", "b", "c");
    redis().claim(3);
    redis().raw(Command.HSET, RedisKeys.task(Q, "b"), "msg", "\u0001not a message");
    redis().clock.advance(Duration.ofSeconds(16));

    assertThat(redis().recover())
        .containsExactlyInAnyOrder(
            new Recovered("a", Recovery.PENDING),
            new Recovered("b", Recovery.ARCHIVE),
            new Recovered("c", Recovery.PENDING));

    assertThat(redis().world())
        .contains(
            "archived: {b=4102488016}\n",
            "pending: [c, a]\n",
            "msg=0x016e6f742061206d657373616765, quarantine=its message cannot be read")
        .doesNotContain("active: ", "lease: ");
  }

  @Test
  default void anIdWithoutARecordLosesItsLease() {
    redis().raw(Command.LPUSH, key("active"), "ghost");
    redis().raw(Command.ZADD, key("lease"), Long.toString(T - 30), "ghost");
    redis().raw(Command.HSET, RedisKeys.task(Q, "ghost"), "state", "active");

    assertThat(redis().recover()).containsExactly(new Recovered("ghost", Recovery.DROP));

    assertThat(redis().world()).isEmpty();
  }

  @Test
  default void fixesW18_aLeaseOnATaskThatIsNotListedAsActiveIsRecovered() {
    redis().enqueue("a");
    redis().claimOne();
    redis().raw(Command.DEL, key("active"));
    redis().clock.advance(Duration.ofSeconds(16));

    assertThat(redis().recover()).containsExactly(new Recovered("a", Recovery.PENDING));

    assertThat(redis().world()).contains("pending: [a]\n").doesNotContain("lease: ");
  }

  @Test
  default void anOrderedQueueKeepsACrashedTaskAtItsHead() {
    QueueRules ordered = new QueueRules(0, true);
    redis().enqueue("a", "b");
    redis().claimBatch(1, ordered);
    redis().raw(Command.HSET, RedisKeys.task(Q, "a"), "crashes", "1");
    redis().clock.advance(Duration.ofSeconds(16));

    assertThat(redis().upkeep().recover(Q, 10, CrashRules.DEFAULT, ordered, ArchiveRules.DEFAULT))
        .containsExactly(new Recovered("a", Recovery.RETRY));

    assertThat(redis().world())
        .contains("pending: [b, a]\n", "hold_until=4102488046000")
        .doesNotContain("retry: ");
    assertThat(redis().claimBatch(1, ordered).heldUntil()).isEqualTo(NOON.plusSeconds(46));
  }

  @Test
  default void fixesQ19_aTaskThatAGoWorkerRanOnItsOwnDoesNotGoBackToItsGroup() {
    redis().seed(TaskState.ACTIVE, "a", T - 60);
    redis().raw(Command.HSET, RedisKeys.task(Q, "a"), "group", "g", "crashes", "1");

    redis().recover();
    redis().clock.advance(Duration.ofSeconds(30));
    redis().upkeep().forward(Q, 1);

    assertThat(redis().world()).contains("pending: [a]\n").doesNotContain("g:g");
  }

  @Test
  default void aTaskGivenUpAfterCrashesFreesItsLockWhereThatIsAskedFor() {
    redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofHours(1))));
    redis().claimOne();
    redis().clock.advance(Duration.ofSeconds(16));
    CrashRules strict = new CrashRules(1, Duration.ZERO, Duration.ZERO);

    redis()
        .upkeep()
        .recover(Q, 1, strict, QueueRules.NONE, new ArchiveRules(10, Duration.ofDays(1), true));

    assertThat(redis().enqueue(redis().task("b", o -> o.uniqueFor(Duration.ofHours(1)))))
        .containsExactly(EnqueueReply.ENQUEUED);
  }

  @Test
  default void whatIsGivenUpAfterCrashesKeepsTheArchiveWithinItsRules() {
    redis().seed(TaskState.ARCHIVED, "old", T - 100);
    redis().seed(TaskState.ACTIVE, "a", T - 60);
    CrashRules strict = new CrashRules(1, Duration.ZERO, Duration.ZERO);

    redis()
        .upkeep()
        .recover(Q, 1, strict, QueueRules.NONE, new ArchiveRules(1, Duration.ofDays(1), false));

    assertThat(redis().world()).contains("archived: {a=" + T + "}\n").doesNotContain("t:old");
  }

  // ---- expire, trim, repair, relistGroups ----

  @Test
  default void r10_completedTasksGoWhenTheirTimeIsOverWithTheirRecords() {
    redis().seed(TaskState.COMPLETED, "past", T - 1);
    redis().seed(TaskState.COMPLETED, "now", T);
    redis().seed(TaskState.COMPLETED, "later", T + 1);
    redis().raw(Command.ZADD, key("completed"), "1", "ghost");

    assertThat(redis().upkeep().expire(QueueName.of("other"), 10)).isZero();
    assertThat(redis().upkeep().expire(Q, 2)).isEqualTo(2);
    assertThat(redis().upkeep().expire(Q, 10)).isEqualTo(1);

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            completed: {later=4102488001}
            t:later: {msg=t(p) retry 0/25 timeout 1800, state=completed}
            """);
  }

  @Test
  default void aTaskThatHasLeftTheCompletedOnesIsNotDeletedWithThem() {
    redis().seed(TaskState.PENDING, "a", 0);
    redis().raw(Command.ZADD, key("completed"), "1", "a");

    redis().upkeep().expire(Q, 10);

    assertThat(redis().claim(1)).extracting(Claim::id).containsExactly("a");
  }

  @Test
  default void fixesW14_anArchiveIsTrimmedWithoutAnythingBeingArchived() {
    ArchiveRules rules = new ArchiveRules(2, Duration.ofSeconds(100), false);
    redis().seed(TaskState.ARCHIVED, "tooOld", T - 100);
    for (int i = 0; i < 4; i++) {
      redis().seed(TaskState.ARCHIVED, "a" + i, T - 10 + i);
    }

    assertThat(redis().upkeep().trim(Q, 2, rules)).isEqualTo(2);
    assertThat(redis().upkeep().trim(Q, 2, rules)).isEqualTo(1);
    assertThat(redis().upkeep().trim(Q, 2, rules)).isZero();

    assertThat(redis().world())
        .isEqualTo(
            """
            archived: {a2=4102487992, a3=4102487993}
            asynq:queues: [q]
            t:a2: {msg=t(p) retry 0/25 timeout 1800, state=archived}
            t:a3: {msg=t(p) retry 0/25 timeout 1800, state=archived}
            """);
  }

  @Test
  default void fixesQ08_anActiveTaskWithoutALeaseIsGivenOneAndRecoveredAfterTheGrace() {
    redis().seed(TaskState.ACTIVE, "a", T);
    redis().raw(Command.DEL, key("lease"));

    assertThat(redis().upkeep().repair(Q)).isEqualTo(1);

    assertThat(redis().world()).contains("active: [a]\n", "lease: {a=" + T + "}\n");
    assertThat(redis().upkeep().repair(Q)).isZero();
    redis().clock.advance(Duration.ofSeconds(29));
    assertThat(redis().recover()).isEmpty();
    redis().clock.advance(Duration.ofSeconds(1));
    assertThat(redis().recover()).containsExactly(new Recovered("a", Recovery.PENDING));
  }

  @Test
  default void repairTakesOutWhatStandsForNothingActiveAndLeavesTheRest() {
    redis().enqueue("running", "waiting");
    Claim running = redis().claimOne();
    String right = redis().world();
    redis().raw(Command.LPUSH, key("active"), "ghost");
    redis().raw(Command.ZADD, key("lease"), Long.toString(T), "leased-ghost");
    redis().raw(Command.LPUSH, key("active"), "waiting");
    redis().raw(Command.ZADD, key("lease"), Long.toString(T), "waiting");

    assertThat(redis().upkeep().repair(Q)).isEqualTo(3);

    assertThat(redis().world()).isEqualTo(right);
    assertThat(redis().settle(new Settlement.Complete(running, Payload.absent())))
        .isEqualTo(SettleResult.APPLIED);
  }

  @Test
  default void aKeyOfAnotherKindInThePlaceOfATaskLosesNoOther() {
    redis().enqueue("a", "spoilt", "b");
    redis().raw(Command.DEL, RedisKeys.task(Q, "spoilt"));
    redis().raw(Command.SET, RedisKeys.task(Q, "spoilt"), "no task");
    List<Claim> claims = redis().claim(5);
    assertThat(claims).extracting(Claim::id).containsExactly("a", "b");

    redis().raw(Command.DEL, RedisKeys.task(Q, "a"));
    redis().raw(Command.SET, RedisKeys.task(Q, "a"), "no task");
    redis().clock.advance(Duration.ofMinutes(1));
    assertThat(redis().recover())
        .extracting(Upkeep.Recovered::id)
        .containsExactlyInAnyOrder("a", "b");

    redis().enqueue(redis().task("later", o -> o.processIn(Duration.ofSeconds(1))));
    redis().raw(Command.DEL, RedisKeys.task(Q, "later"));
    redis().raw(Command.SET, RedisKeys.task(Q, "later"), "no task");
    redis().clock.advance(Duration.ofSeconds(1));
    redis().upkeep().forward(Q, 10);
    assertThat(redis().claim(5)).extracting(Claim::id).containsExactly("b");
    assertThat(redis().world()).doesNotContain("spoilt", "later", "t:a");
  }

  @Test
  default void aKeyOfAnotherKindInThePlaceOfATaskBlocksNothing() {
    redis().enqueue("spoilt", "a", "b");
    redis().raw(Command.DEL, RedisKeys.task(Q, "spoilt"));
    redis().raw(Command.SET, RedisKeys.task(Q, "spoilt"), "no task");
    QueueRules ordered = new QueueRules(0, true);
    assertThat(redis().broker.leases().claim(Q, 1, BrokerFixture.LEASE, ordered).claims())
        .extracting(Claim::id)
        .containsExactly("a");

    redis().raw(Command.DEL, RedisKeys.task(Q, "a"));
    redis().raw(Command.SET, RedisKeys.task(Q, "a"), "no task");
    redis().raw(Command.ZADD, key("completed"), "1", "a");
    assertThat(redis().upkeep().expire(Q, 10)).isEqualTo(1);
    assertThat(redis().upkeep().repair(Q)).isEqualTo(1);
    assertThat(redis().raw(Command.LLEN, key("active"))).isEqualTo(0L);
    assertThat(redis().claim(5)).extracting(Claim::id).containsExactly("b");
  }

  @ParameterizedTest
  @ValueSource(strings = {"inf", "1e300", "253402300799", "9007199254740993"})
  default void aTimeBeyondAllCalendarsIsTheLatestThereIs(String score) {
    redis().enqueue(redis().task("a", o -> o.processIn(Duration.ofHours(1))));
    redis().raw(Command.ZADD, key("scheduled"), score, "a");

    Upkeep.Forwarded forwarded = redis().upkeep().forward(Q, 10);

    assertThat(forwarded).isEqualTo(new Upkeep.Forwarded(0, TimeMath.LATEST));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-inf", "-1e17", "0"})
  default void aTimeBeforeAllCalendarsHasCome(String score) {
    redis().enqueue(redis().task("a", o -> o.processIn(Duration.ofHours(1))));
    redis().raw(Command.ZADD, key("scheduled"), score, "a");

    assertThat(redis().upkeep().forward(Q, 10)).isEqualTo(new Upkeep.Forwarded(1, null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"inf", "nan", "text", "-1e17"})
  default void fieldsThatAreNoNumbersDoNotBlockForwardingClaimingAndRecovering(String text) {
    redis().enqueue(redis().task("a", o -> o.processIn(Duration.ofSeconds(1))));
    redis().raw(Command.HSET, RedisKeys.task(Q, "a"), "due_ms", text, "crashes", text);
    redis().clock.advance(Duration.ofSeconds(1));

    assertThat(redis().upkeep().forward(Q, 10).moved()).isEqualTo(1);
    assertThat(redis().claim(1)).hasSize(1);
    redis().clock.advance(Duration.ofMinutes(1));
    assertThat(redis().recover()).extracting(Upkeep.Recovered::id).containsExactly("a");
    assertThat(redis().world()).doesNotContain("active:", "lease:");
  }

  @ParameterizedTest
  @ValueSource(strings = {"nan", "text", "-1e17", "-inf"})
  default void aHoldThatIsNoTimeHoldsNothing(String text) {
    redis().enqueue("a");
    redis().raw(Command.HSET, RedisKeys.task(Q, "a"), "hold_until", text);

    assertThat(redis().claimBatch(1, new QueueRules(0, true)).claims()).hasSize(1);
  }

  @Test
  default void aHoldBeyondAllCalendarsIsTheLatestThereIs() {
    redis().enqueue("a");
    redis().raw(Command.HSET, RedisKeys.task(Q, "a"), "hold_until", "inf");

    assertThat(redis().claimBatch(1, new QueueRules(0, true)).heldUntil())
        .isEqualTo(TimeMath.LATEST);
  }

  @Test
  default void repairListsARunningTaskThatIsNotListedAgain() {
    redis().enqueue("a", "b");
    redis().claim(2);
    String before = redis().world();
    redis().raw(Command.LREM, key("active"), "0", "b");

    assertThat(redis().upkeep().repair(Q)).isEqualTo(1);

    assertThat(redis().world()).isEqualTo(before);
    assertThat(redis().upkeep().repair(Q)).isZero();
  }

  @Test
  default void repairWalksOverLongListsInSteps() {
    redis().enqueueMany(450, o -> o);
    for (int i = 0; i < 9; i++) {
      redis().claim(200);
    }
    redis().raw(Command.DEL, key("lease"));

    assertThat(redis().upkeep().repair(Q)).isEqualTo(450);

    assertThat(redis().raw(Command.ZCARD, key("lease"))).isEqualTo(450L);
  }

  @Test
  default void fixesQ04_fixesQ05_groupsThatAGoProcessLeftUnlistedAreListed() {
    redis().seed(TaskState.AGGREGATING, "a", T);
    redis().raw(Command.DEL, key("groups"));

    assertThat(redis().upkeep().relistGroups(Q)).isEqualTo(1);

    assertThat(redis().world()).contains("groups: [g]\n");
    assertThat(redis().upkeep().relistGroups(Q)).isZero();
  }

  @Test
  default void anAggregationSetIsNotTakenForAGroup() {
    redis().enqueue(redis().task("a", o -> o.group("g")));
    redis().aggregation().aggregate(Q, "g", AggregationContract.AT_ONCE);
    String before = redis().world();

    assertThat(redis().upkeep().relistGroups(Q)).isZero();

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void groupsAreFoundInAQueueWhoseNameLooksLikeAPattern() {
    QueueName odd = QueueName.of("a[b]*?\\c");
    redis().raw(Command.ZADD, RedisKeys.group(odd, "sms:*"), "1", "x");
    redis().raw(Command.ZADD, RedisKeys.group(QueueName.of("ab1\\c"), "other"), "1", "x");
    redis().raw(Command.SET, RedisKeys.group(odd, "no-group"), "x");

    assertThat(redis().upkeep().relistGroups(odd)).isEqualTo(1);

    assertThat(redis().aggregation().groups(odd)).containsExactly("sms:*");
  }
}
