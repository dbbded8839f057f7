package io.asynq4j.internal.redis.store;

import static io.asynq4j.fixture.BrokerFixture.LEASE;
import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static io.asynq4j.fixture.BrokerFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.asynq4j.QueueName;
import io.asynq4j.RateLimit;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.SettableClock;
import io.asynq4j.fixture.TestTime;
import io.asynq4j.inspect.QueueLimits;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.ClaimBatch;
import io.asynq4j.internal.broker.ClaimBatch.QueueCondition;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.inspect.QueueControl.Pace;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol.Command;

/** Claiming tasks and extending leases: requirements d01 to d05, l03 and l04. */
interface ClaimContract {

  BrokerFixture redis();

  @Test
  default void d01_aClaimTakesTheOldestAndLeasesIt() {
    redis().enqueue("a", "b", "c");

    ClaimBatch batch = redis().claimBatch(2, QueueRules.NONE);

    assertThat(batch.rest()).isEqualTo(QueueCondition.MORE);
    assertThat(batch.claims()).extracting(Claim::id).containsExactly("a", "b");
    assertThat(batch.claims()).extracting(Claim::leasedUntil).containsOnly(NOON.plus(LEASE));
    String token = batch.claims().get(0).token();
    assertThat(redis().world())
        .isEqualTo(
            """
            active: [b, a]
            asynq:queues: [q]
            lease: {a=%s, b=%s}
            pending: [c]
            t:a: {claim=%s, msg=t(p) retry 0/25 timeout 1800, state=active}
            t:b: {claim=%s, msg=t(p) retry 0/25 timeout 1800, state=active}
            t:c: {msg=t(p) retry 0/25 timeout 1800, pending_since=4102488000000000000, state=pending}
            """
                .formatted(score("a"), score("b"), token, token));
    assertThat(Double.parseDouble(score("a"))).isBetween(T + 15.0, T + 16.0).isNotEqualTo(T + 15.0);
  }

  private String score(String id) {
    return redis().rawText(Command.ZSCORE, key("lease"), id);
  }

  @Test
  default void d03_anEmptyQueueGivesNothing() {
    assertThat(redis().claimBatch(5, QueueRules.NONE))
        .isEqualTo(new ClaimBatch(List.of(), QueueCondition.EMPTY, null));
  }

  @Test
  default void aQueueWithFewerTasksThanRequestedReturnsThoseAndReportsThatItIsEmpty() {
    redis().enqueue("a");

    ClaimBatch batch = redis().claimBatch(5, QueueRules.NONE);

    assertThat(batch.claims()).extracting(Claim::id).containsExactly("a");
    assertThat(batch.rest()).isEqualTo(QueueCondition.EMPTY);
  }

  @Test
  default void d05_aPausedQueueGivesNothingAndNothingMoves() {
    redis().enqueue("a");
    redis().queueControl().pause(Q);
    String before = redis().world();

    assertThat(redis().claimBatch(1, QueueRules.NONE).rest()).isEqualTo(QueueCondition.PAUSED);

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void fixesQ09_anIdWithoutATaskIsDroppedAndTheNextOneTaken() {
    redis().enqueue("a");
    redis().raw(Command.RPUSH, key("pending"), "ghost");
    redis().raw(Command.HSET, RedisKeys.task(Q, "ghost"), "state", "pending");

    assertThat(redis().claim(1)).extracting(Claim::id).containsExactly("a");

    assertThat(redis().world()).doesNotContain("ghost");
  }

  @Test
  default void anIdThatStandsTwiceInTheListIsRunOnce() {
    redis().enqueue("a", "b");
    redis().raw(Command.LPUSH, key("pending"), "a");

    assertThat(redis().claim(1)).extracting(Claim::id).containsExactly("a");
    assertThat(redis().claim(5)).extracting(Claim::id).containsExactly("b");
  }

  @Test
  default void anIdThatStandsTwiceInTheListIsRunOnceByOneCallToo() {
    redis().enqueue("a", "b");
    redis().raw(Command.LPUSH, key("pending"), "a");

    assertThat(redis().claim(5)).extracting(Claim::id).containsExactly("a", "b");

    assertThat(redis().world()).contains("active: [b, a]\n");
  }

  @Test
  default void aRunningTaskWhoseIdCameIntoTheListAgainKeepsItsLeaseAndItsNeighboursRun() {
    redis().enqueue("a");
    Claim running = redis().claimOne();
    String lease = score("a");
    redis().enqueue("b");
    redis().raw(Command.RPUSH, key("pending"), "a", "nothing");

    assertThat(redis().claim(5)).extracting(Claim::id).containsExactly("b");

    assertThat(score("a")).isEqualTo(lease);
    assertThat(redis().world()).contains("active: [b, a]\n").doesNotContain("nothing", "pending");
    assertThat(redis().settle(new Settlement.Drop(running))).isEqualTo(SettleResult.APPLIED);
  }

  @Test
  default void aPendingTaskWithAStaleLeaseRunsUnderANewOne() {
    redis().enqueue("a", "b");
    redis().raw(Command.ZADD, key("lease"), Long.toString(T - 100), "a");

    List<Claim> claims = redis().claim(5);

    assertThat(claims).extracting(Claim::id).containsExactly("a", "b");
    assertThat(score("a")).isEqualTo(score("b"));
    assertThat(redis().settle(new Settlement.Drop(claims.get(0)))).isEqualTo(SettleResult.APPLIED);
  }

  @Test
  default void fixesQ12_anUnreadableTaskIsArchivedAndItsNeighboursRun() {
    redis().enqueue("a", "b", "c");
    redis().raw(Command.HSET, RedisKeys.task(Q, "b"), "msg", "\u0001not a message");

    ClaimBatch batch = redis().claimBatch(3, QueueRules.NONE);

    assertThat(batch.claims()).extracting(Claim::id).containsExactly("a", "c");
    assertThat(redis().world())
        .contains(
            "archived: {b=" + T + "}\n", "quarantine=its message cannot be read", "state=archived")
        .doesNotContain("active: [c, b, a]");
  }

  @Test
  default void aMessageOfAnotherTaskIsNotRunUnderThisId() {
    redis().enqueue("a", "b");
    String other = redis().rawText(Command.HGET, RedisKeys.task(Q, "a"), "msg");
    redis().raw(Command.HSET, RedisKeys.task(Q, "b"), "msg", other);

    assertThat(redis().claimBatch(2, QueueRules.NONE).claims())
        .extracting(Claim::id)
        .containsExactly("a");

    assertThat(redis().world())
        .contains("quarantine=its message belongs to task \"a\" of queue \"q\"");
  }

  @Test
  default void fixesQ19_aTaskThatRunsOnItsOwnIsInNoGroupAnyMore() {
    redis().enqueue(redis().task("a", o -> o.group("g")));
    redis().actions().run(Q, List.of("a"));
    // As Go's inspector leaves it.
    redis().raw(Command.HSET, RedisKeys.task(Q, "a"), "group", "g");

    redis()
        .settle(new Settlement.Retry(redis().claimOne(), Duration.ofSeconds(1), "no", true, false));
    redis().clock.advance(Duration.ofSeconds(1));
    redis().upkeep().forward(Q, 10);

    assertThat(redis().world()).contains("pending: [a]").doesNotContain("g:g:");
  }

  @Test
  default void noMoreRunThanMaxActiveOverAllWorkersGoOnesCountToo() {
    redis().enqueue("a", "b", "c", "d");
    redis().claimAsGo("a", T + 30);

    ClaimBatch batch = redis().claimBatch(10, new QueueRules(3, false));
    assertThat(batch.claims()).extracting(Claim::id).containsExactly("b", "c");
    assertThat(batch.rest()).isEqualTo(QueueCondition.FULL);
    assertThat(redis().claimBatch(10, new QueueRules(3, false)).rest())
        .isEqualTo(QueueCondition.FULL);

    redis().settle(new Settlement.Drop(batch.claims().get(0)));
    assertThat(redis().claimBatch(10, new QueueRules(3, false)).claims())
        .extracting(Claim::id)
        .containsExactly("d");
  }

  @Test
  default void whatAnOperatorSetWinsOverTheConfiguration() {
    redis().enqueue("a", "b", "c");
    redis()
        .queueControl()
        .setLimits(Q, new QueueLimits(OptionalInt.of(1), Optional.empty(), Optional.empty()));

    assertThat(redis().claimBatch(10, new QueueRules(3, false)).claims()).hasSize(1);
    assertThat(redis().queueControl().limits(Q))
        .isEqualTo(new QueueLimits(OptionalInt.of(1), Optional.empty(), Optional.empty()));

    redis().queueControl().setLimits(Q, QueueLimits.NONE);
    assertThat(redis().claimBatch(10, new QueueRules(3, false)).claims()).hasSize(2);
  }

  @Test
  default void anOrderedQueueRunsOneTaskAtATimeAndAFailedTaskBlocksIt() {
    QueueRules ordered = new QueueRules(0, true);
    redis().enqueue("a", "b");
    Claim first = redis().claimBatch(5, ordered).claims().get(0);
    assertThat(redis().claimBatch(5, ordered).rest()).isEqualTo(QueueCondition.FULL);

    redis().settle(new Settlement.Retry(first, Duration.ofSeconds(10), "no", true, false), ordered);

    ClaimBatch held = redis().claimBatch(5, ordered);
    assertThat(held.rest()).isEqualTo(QueueCondition.HELD);
    assertThat(held.heldUntil()).isEqualTo(NOON.plusSeconds(10));
    assertThat(redis().world())
        .contains("pending: [b, a]\n", "hold_until=4102488010000, msg=t(p) retry 1/25")
        .doesNotContain("retry: {");

    redis().clock.advance(Duration.ofSeconds(10));
    assertThat(redis().claimBatch(5, ordered).claims()).extracting(Claim::id).containsExactly("a");
  }

  @Test
  default void aQueueIsHeldByTheClockThatIsFollowedWhereItsServerHasAnother() {
    redis().enqueue("a", "b");
    QueueRules rated = new QueueRules(0, false, RateLimit.of(1, Duration.ofSeconds(10)));
    BrokerTime apart = BrokerFixture.apart(redis().clock, Duration.ofSeconds(60));
    LeaseOperations source =
        RedisBroker.on(redis().link, apart, /* numberedEnqueue= */ true).leases();
    source.claim(Q, 1, LEASE, rated);

    assertThat(source.claim(Q, 1, LEASE, rated).heldUntil()).isEqualTo(NOON.plusSeconds(70));
  }

  @Test
  default void tasksBeginAtTheRateAfterABurst() {
    QueueRules rated = new QueueRules(0, false, new RateLimit(10, Duration.ofSeconds(1), 3));
    redis().enqueue("a", "b", "c", "d", "e", "f", "g", "h");

    ClaimBatch burst = redis().claimBatch(5, rated);
    assertThat(burst.claims()).extracting(Claim::id).containsExactly("a", "b", "c");
    assertThat(burst.rest()).isEqualTo(QueueCondition.HELD);
    assertThat(burst.heldUntil()).isEqualTo(NOON.plusMillis(100));
    ClaimBatch none = redis().claimBatch(5, rated);
    assertThat(none.claims()).isEmpty();
    assertThat(none.heldUntil()).isEqualTo(NOON.plusMillis(100));

    redis().clock.advance(Duration.ofMillis(250));
    ClaimBatch two = redis().claimBatch(5, rated);
    assertThat(two.claims()).extracting(Claim::id).containsExactly("d", "e");
    // Half a token was left over.
    assertThat(two.heldUntil()).isEqualTo(NOON.plusMillis(300));

    redis().clock.advance(Duration.ofHours(1));
    ClaimBatch last = redis().claimBatch(2, rated);
    assertThat(last.claims()).hasSize(2);
    assertThat(last.rest()).isEqualTo(QueueCondition.MORE);
    assertThat(redis().claimBatch(2, rated).claims()).extracting(Claim::id).containsExactly("h");
  }

  @Test
  default void aRateThatAnOperatorSetsWinsOverTheConfiguredOneAndIsSeenInTheBucket() {
    RateLimit usual = new RateLimit(10, Duration.ofSeconds(1), 3);
    QueueRules configured = new QueueRules(0, false, usual);
    RateLimit slow = new RateLimit(1, Duration.ofSeconds(10), 1);
    redis().enqueue("a", "b", "c", "d", "e", "f", "g", "h");
    assertThat(redis().queueControl().pace(Q)).isEmpty();
    redis().claimBatch(2, configured);
    assertThat(redis().queueControl().pace(Q)).contains(new Pace(usual, 1, NOON));

    redis().queueControl().setLimits(Q, settings(slow));
    assertThat(redis().queueControl().limits(Q)).isEqualTo(settings(slow));
    assertThat(redis().queueControl().pace(Q)).contains(new Pace(slow, 1, NOON));
    ClaimBatch one = redis().claimBatch(5, configured);
    assertThat(one.claims()).extracting(Claim::id).containsExactly("c");
    assertThat(one.heldUntil()).isEqualTo(NOON.plusSeconds(10));
    redis().clock.advance(Duration.ofSeconds(5));
    assertThat(redis().claimBatch(5, configured).heldUntil()).isEqualTo(NOON.plusSeconds(10));
    Pace half = redis().queueControl().pace(Q).orElseThrow();
    assertThat(half).isEqualTo(new Pace(slow, 0.5, NOON.plusSeconds(5)));
    assertThat(half.whenEnoughFor(1)).isEqualTo(NOON.plusSeconds(10));
    assertThat(half.whenEnoughFor(3)).isEqualTo(NOON.plusSeconds(30));

    redis().queueControl().setLimits(Q, settings(RateLimit.UNLIMITED));
    assertThat(redis().queueControl().limits(Q)).isEqualTo(settings(RateLimit.UNLIMITED));
    assertThat(redis().queueControl().pace(Q)).isEmpty();
    assertThat(redis().claimBatch(3, configured).claims()).hasSize(3);

    redis().queueControl().setLimits(Q, QueueLimits.NONE);
    assertThat(redis().queueControl().limits(Q)).isEqualTo(QueueLimits.NONE);
    // Five seconds at the configured rate fill the bucket.
    assertThat(redis().claimBatch(2, configured).claims()).hasSize(2);
    assertThat(redis().queueControl().pace(Q)).contains(new Pace(usual, 1, NOON.plusSeconds(5)));
  }

  private static QueueLimits settings(RateLimit rate) {
    return new QueueLimits(OptionalInt.empty(), Optional.empty(), Optional.of(rate));
  }

  @Test
  default void anEmptyQueueUsesUpNoTokens() {
    QueueRules rated = new QueueRules(0, false, new RateLimit(1, Duration.ofSeconds(10), 1));
    assertThat(redis().claimBatch(5, rated).rest()).isEqualTo(QueueCondition.EMPTY);
    redis().enqueue("a");
    assertThat(redis().claimBatch(5, rated).claims()).hasSize(1);
    assertThat(redis().claimBatch(5, rated).rest()).isEqualTo(QueueCondition.HELD);
  }

  @Test
  default void aSnoozedTaskBlocksAnOrderedQueueToo() {
    QueueRules ordered = new QueueRules(0, true);
    redis().enqueue("a", "b");
    Claim first = redis().claimBatch(5, ordered).claims().get(0);

    redis().settle(new Settlement.Reschedule(first, Duration.ofSeconds(10), false), ordered);

    assertThat(redis().claimBatch(5, ordered).rest()).isEqualTo(QueueCondition.HELD);
    assertThat(redis().tasks().task(Q, "a").nextProcessAt()).isEqualTo(NOON.plusSeconds(10));
  }

  @Test
  default void l03_anExtensionMovesTheEndOfTheLeaseAndKeepsItsToken() {
    redis().enqueue("a", "b", "c");
    List<Claim> claims = redis().claim(3);
    String digits = claims.get(0).token().substring(0, 6);

    redis().clock.advance(Duration.ofSeconds(5));
    List<Instant> expiries = redis().source().extend(Q, claims.subList(0, 2), LEASE);

    assertThat(expiries).containsExactly(NOON.plusSeconds(20), NOON.plusSeconds(20));
    assertThat(Double.parseDouble(score("a")))
        .isCloseTo(Double.parseDouble(T + 20 + "." + digits), within(1e-6));
    assertThat(Double.parseDouble(score("c"))).isBetween(T + 15.0, T + 16.0);
    assertThat(redis().settle(new Settlement.Drop(claims.get(0)))).isEqualTo(SettleResult.APPLIED);
  }

  @Test
  default void l04_anExtensionNeverBringsALeaseBack() {
    redis().enqueue("a");
    Claim claim = redis().claimOne();
    redis().settle(new Settlement.Requeue(claim));

    assertThat(redis().source().extend(Q, List.of(claim), LEASE)).containsExactly((Instant) null);

    assertThat(redis().world()).doesNotContain("lease");
  }

  @Test
  default void fixesQ13_aStaleWorkerCanNeitherExtendNorSettleNorWriteForAnother() {
    redis().enqueue("a");
    Claim stale = redis().claimOne();
    redis().clock.advance(Duration.ofSeconds(16));
    redis().recover();
    Claim current = redis().claimOne();
    String before = redis().world();

    assertThat(redis().source().extend(Q, List.of(stale), LEASE)).containsExactly((Instant) null);
    assertThat(redis().source().writeResult(stale, io.asynq4j.Payload.ofUtf8("late"))).isFalse();
    assertThat(everySettlementOf(stale))
        .allSatisfy(late -> assertThat(redis().settle(late)).isEqualTo(SettleResult.LEASE_LOST));

    assertThat(redis().world()).isEqualTo(before);
    assertThat(redis().settle(new Settlement.Drop(current))).isEqualTo(SettleResult.APPLIED);
  }

  @Test
  default void aStaleWorkerCannotSettleWhatAGoWorkerRuns() {
    redis().enqueue("a");
    Claim stale = redis().claimOne();
    redis().clock.advance(Duration.ofSeconds(16));
    redis().recover();
    redis().claimAsGo("a", T + 46);
    // The record still shows the old claim when a Go recoverer took the task: it keeps fields it
    // does not know.
    redis().raw(Command.HSET, RedisKeys.task(Q, "a"), "claim", stale.token());
    String before = redis().world();

    assertThat(redis().source().extend(Q, List.of(stale), LEASE)).containsExactly((Instant) null);
    assertThat(everySettlementOf(stale))
        .allSatisfy(late -> assertThat(redis().settle(late)).isEqualTo(SettleResult.LEASE_LOST));

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void aStaleWorkerCannotSettleForAnotherWhoseTokenBeginsLikeItsOwn() {
    redis().enqueue("a");
    Claim stale = redis().claimOne();
    redis().clock.advance(Duration.ofSeconds(16));
    redis().recover();
    Claim current = redis().claimOne();
    String digits = stale.token().substring(0, 6);
    redis().raw(Command.ZADD, key("lease"), T + 31 + "." + digits, "a");
    redis()
        .raw(Command.HSET, RedisKeys.task(Q, "a"), "claim", digits + current.token().substring(6));
    String before = redis().world();

    assertThat(everySettlementOf(stale))
        .allSatisfy(late -> assertThat(redis().settle(late)).isEqualTo(SettleResult.LEASE_LOST));

    assertThat(redis().world()).isEqualTo(before);
  }

  private static List<Settlement> everySettlementOf(Claim claim) {
    return List.of(
        new Settlement.Complete(claim, io.asynq4j.Payload.absent()),
        new Settlement.Drop(claim),
        new Settlement.Retry(claim, Duration.ofSeconds(1), "late", true, false),
        new Settlement.Archive(claim, "late"),
        new Settlement.Reschedule(claim, Duration.ofSeconds(1), false),
        new Settlement.Requeue(claim));
  }

  @Test
  default void queuesDoNotSeeEachOther() {
    redis().enqueue("a");

    assertThat(redis().source().claim(QueueName.of("other"), 1, LEASE, QueueRules.NONE).rest())
        .isEqualTo(QueueCondition.EMPTY);
  }

  @Test
  default void fixesQ35_leasesEndByTheClockOfRedisHoweverWrongThisMachinesIs() {
    SettableClock wrong = new SettableClock(Instant.parse("2001-01-01T00:00:00Z"));
    BrokerTime noTimeForScripts =
        new TestTime(wrong) {
          @Override
          public String forScripts() {
            return "";
          }
        };
    redis().enqueue("a");

    Claim claim =
        RedisBroker.on(redis().link, noTimeForScripts, /* numberedEnqueue= */ true)
            .leases()
            .claim(Q, 1, LEASE, QueueRules.NONE)
            .claims()
            .get(0);

    long redisNow =
        ReplyParser.number(
            ReplyParser.list(
                    redis().link.call(0, ResendPolicy.SAFE, Command.TIME, new CommandArgs()))
                .get(0));
    assertThat(claim.leasedUntil().getEpochSecond()).isBetween(redisNow + 10, redisNow + 15);
  }
}
