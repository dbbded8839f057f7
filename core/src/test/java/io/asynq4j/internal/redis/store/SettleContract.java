package io.asynq4j.internal.redis.store;

import static io.asynq4j.fixture.BrokerFixture.LEASE;
import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static io.asynq4j.fixture.BrokerFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.Payload;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskInfo.FailedAttempt;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.command.RedisKeys;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol.Command;

/** Settling attempts: requirements d06 to d12 and r01 to r05. */
public interface SettleContract {

  BrokerFixture redis();

  String COUNTED_DAY = "processed:2100-01-01: 1 until " + (T + 7_776_000) + "\n";

  @Test
  default void d06_aTaskThatSucceedsIsGoneAndCounted() {
    redis().enqueue("a");

    assertThat(redis().settle(new Settlement.Complete(redis().claimOne(), Payload.absent())))
        .isEqualTo(SettleResult.APPLIED);

    assertThat(redis().world()).isEqualTo("asynq:queues: [q]\nprocessed: 1\n" + COUNTED_DAY);
  }

  @Test
  default void d07_successReleasesTheLock() {
    redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofHours(1))));

    redis().settle(new Settlement.Complete(redis().claimOne(), Payload.absent()));

    assertThat(redis().enqueue(redis().task("b", o -> o.uniqueFor(Duration.ofHours(1)))))
        .containsExactly(EnqueueReply.ENQUEUED);
  }

  @Test
  default void aLockThatIsAnothersByNowStays() {
    redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofHours(1))));
    redis().raw(Command.SET, key(EnqueueContract.LOCK), "b");

    redis().settle(new Settlement.Complete(redis().claimOne(), Payload.absent()));

    assertThat(redis().world()).contains(EnqueueContract.LOCK + ": b\n");
  }

  @Test
  default void d08_aTotalThatRunsOverBeginsAgain() {
    redis().enqueue("a");
    redis().raw(Command.SET, key("processed"), Long.toString(Long.MAX_VALUE));
    redis().raw(Command.SET, key("failed"), "7");

    redis().settle(new Settlement.Complete(redis().claimOne(), Payload.absent()));

    assertThat(redis().world()).contains("\nprocessed: 1\n", "failed: 0\n");
  }

  @Test
  default void d09_aTaskWithRetentionIsKeptWithItsResultAndItsLockIsFree() {
    redis()
        .enqueue(
            redis()
                .task("a", o -> o.retention(Duration.ofHours(2)).uniqueFor(Duration.ofHours(1))));
    redis().clock.advance(Duration.ofMillis(1500));

    redis().settle(new Settlement.Complete(redis().claimOne(), Payload.ofUtf8("ok 7")));

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            completed: {a=4102495202}
            processed: 1
            processed:2100-01-01: 1 until 4110264001
            t:a: {msg=t(p) retry 0/25 timeout 1800 retention 7200 completed 4102488001 unique, result=ok 7, \
            state=completed, unique_key=asynq:{q}:unique:t:83878c91171338902e0fe0fb97a8c47a}
            """);
  }

  @Test
  default void aDroppedTaskIsGoneWhateverItsRetention() {
    redis()
        .enqueue(
            redis()
                .task("a", o -> o.retention(Duration.ofHours(2)).uniqueFor(Duration.ofHours(1))));

    redis().settle(new Settlement.Drop(redis().claimOne()));

    assertThat(redis().world()).isEqualTo("asynq:queues: [q]\nprocessed: 1\n" + COUNTED_DAY);
  }

  @Test
  default void d10_aRequeuedTaskIsPendingWithoutALeaseAndOthersAreUntouched() {
    redis().enqueue("a", "b");
    List<Claim> claims = redis().claim(2);

    redis().settle(new Settlement.Requeue(claims.get(0)));

    assertThat(redis().world())
        .contains(
            "active: [b]\n",
            "pending: [a]\n",
            "t:a: {msg=t(p) retry 0/25 timeout 1800, pending_since=")
        .doesNotContain("processed");
  }

  @Test
  default void d11_requeuedTasksStandAtTheHeadInTheirOldOrder() {
    redis().enqueue("a", "b", "c", "d");
    List<Claim> claims = redis().claim(3);

    redis()
        .source()
        .settle(
            Q,
            claims.stream().map(Settlement.Requeue::new).toList(),
            QueueRules.NONE,
            ArchiveRules.DEFAULT);

    assertThat(redis().claim(4)).extracting(Claim::id).containsExactly("a", "b", "c", "d");
  }

  @Test
  default void fixesQ15_pendingSinceIsSetWheneverATaskBecomesPending() {
    redis().enqueue("a");
    Claim claim = redis().claimOne();
    redis().clock.advance(Duration.ofSeconds(3));

    redis().settle(new Settlement.Requeue(claim));

    assertThat(redis().queues().snapshot(Q).oldestPendingSince()).isEqualTo(NOON.plusSeconds(3));
  }

  @Test
  default void d12_aResultIsKeptWhileTheTaskRuns() {
    redis().enqueue("a");
    Claim claim = redis().claimOne();

    assertThat(redis().source().writeResult(claim, Payload.ofUtf8("half"))).isTrue();

    assertThat(redis().tasks().task(Q, "a").result()).isEqualTo(Payload.ofUtf8("half"));
  }

  @Test
  default void progressIsShownUntilTheNextAttemptBegins() {
    redis().enqueue("a");
    Claim claim = redis().claimOne();
    assertThat(redis().tasks().task(Q, "a").progress()).isNull();

    assertThat(redis().source().writeProgress(claim, new Progress(40, "step 2"))).isTrue();

    assertThat(redis().world()).contains(", progress=40 step 2, state=active}");
    assertThat(redis().tasks().task(Q, "a").progress()).isEqualTo(new Progress(40, "step 2"));
    assertThat(redis().tasks().list(Q, Listing.first(TaskState.ACTIVE, 9)).tasks())
        .extracting(TaskInfo::progress)
        .containsExactly(new Progress(40, "step 2"));
    redis().settle(new Settlement.Requeue(claim));
    assertThat(redis().tasks().task(Q, "a").progress()).isEqualTo(new Progress(40, "step 2"));
    redis().claimOne();
    assertThat(redis().tasks().task(Q, "a").progress()).isNull();
    assertThat(redis().source().writeProgress(claim, new Progress(41, "late"))).isFalse();
  }

  @Test
  default void fixesQ10_aLateResultDoesNotBringBackATaskThatIsGone() {
    redis().enqueue("a");
    Claim claim = redis().claimOne();
    redis().settle(new Settlement.Drop(claim));

    assertThat(redis().source().writeResult(claim, Payload.ofUtf8("late"))).isFalse();

    assertThat(redis().world()).doesNotContain("t:a");
  }

  @Test
  default void r01_aFailedTaskWaitsForItsNextAttemptAndIsCounted() {
    redis().enqueue("a");
    redis().clock.advance(Duration.ofMillis(100));

    redis()
        .settle(
            new Settlement.Retry(redis().claimOne(), Duration.ofSeconds(10), "boom", true, false));

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            failed: 1
            failed:2100-01-01: 1 until 4110264000
            processed: 1
            processed:2100-01-01: 1 until 4110264000
            retry: {a=4102488011}
            t:a: {msg=t(p) retry 1/25 timeout 1800 failed 4102488000 error 'boom', state=retry}
            """);
  }

  @Test
  default void r02_whatIsNoFailureCostsNoRetryAndIsNotCounted() {
    redis().enqueue("a");

    redis()
        .settle(
            new Settlement.Retry(redis().claimOne(), Duration.ofSeconds(10), "busy", false, false));

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            retry: {a=4102488010}
            t:a: {msg=t(p) retry 0/25 timeout 1800 failed 4102488000 error 'busy', state=retry}
            """);
  }

  @Test
  default void aPreciseRetryKeepsItsMillisecond() {
    redis().enqueue("a");

    redis()
        .settle(
            new Settlement.Retry(redis().claimOne(), Duration.ofMillis(1_250), "no", true, true));

    assertThat(redis().world()).contains("retry: {a=4102488001}\n", "due_ms=4102488001250");
  }

  @Test
  default void theLongestDelayCanBeWritten() {
    Duration century = Duration.ofDays(36_500);
    redis().enqueue("a");

    redis().settle(new Settlement.Reschedule(redis().claimOne(), century, false));

    assertThat(redis().world()).contains("scheduled: {a=" + (T + century.toSeconds()) + "}\n");
  }

  @Test
  default void r03_anArchivedTaskKeepsItsErrorAndItsLock() {
    redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofHours(1))));

    redis().settle(new Settlement.Archive(redis().claimOne(), "bad input"));

    assertThat(redis().world())
        .isEqualTo(
            """
            archived: {a=4102488000}
            asynq:queues: [q]
            failed: 1
            failed:2100-01-01: 1 until 4110264000
            processed: 1
            processed:2100-01-01: 1 until 4110264000
            t:a: {msg=t(p) retry 0/25 timeout 1800 failed 4102488000 error 'bad input' unique, \
            state=archived, unique_key=asynq:{q}:unique:t:83878c91171338902e0fe0fb97a8c47a}
            unique:t:83878c91171338902e0fe0fb97a8c47a: a for 3600s
            """);
  }

  @Test
  default void archivingReleasesTheLockWhereThatIsAskedFor() {
    redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofHours(1))));
    ArchiveRules releasing = new ArchiveRules(100, Duration.ofDays(1), true);

    redis()
        .source()
        .settle(
            Q,
            List.of(new Settlement.Archive(redis().claimOne(), "no")),
            QueueRules.NONE,
            releasing);

    assertThat(redis().world()).doesNotContain("\nunique:t");
  }

  @Test
  default void r04_archivingDropsWhatIsTooOldWithItsRecordAndItsLock() {
    redis().enqueue(redis().task("old", o -> o.uniqueFor(Duration.ofHours(1))));
    redis().settle(new Settlement.Archive(redis().claimOne(), "no"));
    redis().clock.advance(Duration.ofDays(90));
    redis().enqueue("new");

    redis().settle(new Settlement.Archive(redis().claimOne(), "no"));

    assertThat(redis().world()).contains("archived: {new=").doesNotContain("t:old", "unique:");
  }

  @Test
  default void r05_fixesQ06_theArchiveStaysWithinItsSizeHoweverMuchIsTooMuch() {
    ArchiveRules wide = new ArchiveRules(1_000_000, Duration.ofDays(90), false);
    for (int i = 0; i < 1_200; i++) {
      redis().raw(Command.ZADD, key("archived"), Long.toString(T - 10_000 + i), "old" + i);
      redis().raw(Command.HSET, RedisKeys.task(Q, "old" + i), "state", "archived", "msg", "m");
    }
    redis().enqueue("a", "b");
    redis()
        .source()
        .settle(
            Q, List.of(new Settlement.Archive(redis().claimOne(), "no")), QueueRules.NONE, wide);
    assertThat(redis().raw(Command.ZCARD, key("archived"))).isEqualTo(1_201L);

    ArchiveRules narrow = new ArchiveRules(10, Duration.ofDays(90), false);
    redis()
        .source()
        .settle(
            Q, List.of(new Settlement.Archive(redis().claimOne(), "no")), QueueRules.NONE, narrow);

    assertThat(redis().raw(Command.ZCARD, key("archived"))).isEqualTo(10L);
    assertThat(redis().world()).contains("t:b: {", "t:old1199: {").doesNotContain("t:old1191: {");
  }

  @Test
  default void aSnoozedTaskIsScheduledAgainAndNothingIsCounted() {
    redis().enqueue("a");

    redis().settle(new Settlement.Reschedule(redis().claimOne(), Duration.ofSeconds(30), false));

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            scheduled: {a=4102488030}
            t:a: {msg=t(p) retry 0/25 timeout 1800, state=scheduled}
            """);
  }

  @Test
  default void manyDifferentEndingsAreSettledTogetherAndEachGetsItsAnswer() {
    redis().enqueue("a", "b", "c", "d", "e");
    List<Claim> claims = redis().claim(5);
    redis().settle(new Settlement.Drop(claims.get(2)));

    List<SettleResult> answers =
        redis()
            .source()
            .settle(
                Q,
                List.of(
                    new Settlement.Complete(claims.get(0), Payload.absent()),
                    new Settlement.Retry(claims.get(1), Duration.ofSeconds(1), "no", true, false),
                    new Settlement.Complete(claims.get(2), Payload.absent()),
                    new Settlement.Archive(claims.get(3), "no"),
                    new Settlement.Requeue(claims.get(4))),
                QueueRules.NONE,
                ArchiveRules.DEFAULT);

    assertThat(answers)
        .containsExactly(
            SettleResult.APPLIED,
            SettleResult.APPLIED,
            SettleResult.LEASE_LOST,
            SettleResult.APPLIED,
            SettleResult.APPLIED);
    assertThat(redis().world())
        .contains(
            "archived: {d=", "retry: {b=", "pending: [e]", "\nprocessed: 4\n", "\nfailed: 2\n");
  }

  @Test
  default void fixesQ08_aSettlementThatIsRefusedLeavesEverythingAsItWas() {
    redis().enqueue("a");
    Claim claim = redis().claimOne();
    // As an eviction or a failover leaves it: active, and no lease.
    redis().raw(Command.ZREM, key("lease"), "a");
    String before = redis().world();

    assertThat(redis().settle(new Settlement.Complete(claim, Payload.absent())))
        .isEqualTo(SettleResult.LEASE_LOST);

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  @SuppressWarnings("NullAway") // what no settlement may have, so that it cannot be encoded
  default void aSettlementThatCannotBeEncodedIsRefusedAndItsTaskCanBeArchivedAsItIs() {
    redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofHours(1))));
    Claim claim = redis().claimOne();
    String before = redis().world();

    assertThatThrownBy(
            () -> redis().settle(new Settlement.Retry(claim, Duration.ZERO, null, true, false)))
        .isInstanceOfSatisfying(
            BrokerRefusedException.class,
            refusal -> {
              assertThat(refusal.reason()).isEqualTo(BrokerRefusedException.Reason.REQUEST);
              assertThat(refusal.mayHaveBeenApplied()).isFalse();
            })
        .hasMessageContaining("task a of queue q cannot be encoded");
    assertThat(redis().world()).isEqualTo(before);

    assertThat(redis().settle(new Settlement.Quarantine(claim, "it cannot be encoded")))
        .isEqualTo(SettleResult.APPLIED);
    assertThat(redis().world())
        .contains(
            "archived: {a=4102488000}\n",
            "t:a: {msg=t(p) retry 0/25 timeout 1800 unique, quarantine=it cannot be encoded, ")
        .doesNotContain("active:", "lease:");
  }

  @Test
  default void fixesW42_anErrorWithHalfACharacterIsStoredAsValidText() {
    redis().enqueue("a");

    redis()
        .settle(
            new Settlement.Retry(
                redis().claimOne(), Duration.ofSeconds(1), "bad \ud800 text", true, false));

    assertThat(redis().tasks().task(Q, "a").lastError()).isEqualTo("bad ? text");
    assertThat(LEASE).isPositive();
  }

  @Test
  default void theLatestFiveFailuresAreKeptWithATask() {
    redis().enqueue("a");
    for (int i = 1; i <= 6; i++) {
      Settlement.Retry retry =
          new Settlement.Retry(redis().claimOne(), Duration.ZERO, "no " + i, true, true, "at " + i);
      assertThat(redis().settle(retry)).isEqualTo(SettleResult.APPLIED);
      redis().clock.advance(Duration.ofSeconds(1));
      redis().upkeep().forward(Q, 10);
    }
    redis().settle(new Settlement.Archive(redis().claimOne(), "never", ""));

    assertThat(redis().tasks().failures(Q, "a"))
        .containsExactly(
            new FailedAttempt(NOON.plusSeconds(2), "no 3", "at 3"),
            new FailedAttempt(NOON.plusSeconds(3), "no 4", "at 4"),
            new FailedAttempt(NOON.plusSeconds(4), "no 5", "at 5"),
            new FailedAttempt(NOON.plusSeconds(5), "no 6", "at 6"),
            new FailedAttempt(NOON.plusSeconds(6), "never", ""));
    assertThatThrownBy(() -> redis().tasks().failures(Q, "nobody"))
        .isInstanceOf(TaskNotFoundException.class);
  }

  @Test
  default void failuresWrittenByOtherProgramsAreReplaced() {
    redis().enqueue("a");
    for (String strange : List.of("x", "what is this?", "\0")) {
      redis().raw(Command.HSET, RedisKeys.task(Q, "a"), "failures", strange);
      redis()
          .settle(
              new Settlement.Retry(redis().claimOne(), Duration.ZERO, strange, true, true, "at"));
      redis().clock.advance(Duration.ofSeconds(1));
      redis().upkeep().forward(Q, 10);

      assertThat(redis().tasks().failures(Q, "a"))
          .extracting(FailedAttempt::trace)
          .containsExactly("at");
    }
  }

  @Test
  default void aTaskMayBeKeptForEver() {
    redis()
        .enqueue(
            redis()
                .task(
                    "a", o -> o.retention(ChronoUnit.FOREVER.getDuration()).deadline(Instant.MAX)));

    assertThat(redis().settle(new Settlement.Complete(redis().claimOne(), Payload.absent())))
        .isEqualTo(SettleResult.APPLIED);

    redis().clock.advance(Duration.ofDays(36_500));
    assertThat(redis().upkeep().expire(Q, 10)).isZero();
    assertThat(redis().tasks().list(Q, Listing.first(TaskState.COMPLETED, 9)).tasks()).hasSize(1);
  }
}
