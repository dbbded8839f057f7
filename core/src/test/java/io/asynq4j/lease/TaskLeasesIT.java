package io.asynq4j.lease;

import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static io.asynq4j.internal.redis.store.SettleContract.COUNTED_DAY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.AfterCancel;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.fixture.TestTime;
import io.asynq4j.handler.Outcome;
import io.asynq4j.inspect.QueueLimits;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.ClaimBatch;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.redis.clock.RedisClock;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.store.RedisBroker;
import io.asynq4j.internal.time.ElapsedBounds;
import io.asynq4j.lease.LeasedTask.LeaseOutcome;
import io.asynq4j.lease.LeasedTask.LeaseProgress;
import io.asynq4j.lease.LeasedTask.LeaseProof;
import io.asynq4j.lease.LeasedTask.LeaseResult;
import io.asynq4j.lease.TaskLeases.AttemptTime;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import redis.clients.jedis.Protocol.Command;

/** Claiming, extending and settling by hand. */
@TestInstance(Lifecycle.PER_CLASS)
class TaskLeasesIT {

  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final String FAILED_DAY =
      "failed: 1\nfailed:2100-01-01: 1 until " + (T + 7_776_000) + "\n";

  private TestRedis server;
  private BrokerFixture redis;
  private TaskLeases leases;

  @BeforeAll
  void startRedis() {
    server = TestRedis.standalone();
  }

  @AfterAll
  void stopRedis() {
    server.close();
  }

  @BeforeEach
  void connect() {
    redis = new BrokerFixture(server);
    leases = TaskLeasesAccess.broker(redis.broker).build();
  }

  @AfterEach
  void disconnect() {
    redis.close();
  }

  private LeasedTask claimOne() {
    return leases.claim("q", 1, LEASE).get(0);
  }

  /** The world without what is random: the token, and its digits in the score. */
  private String world() {
    return redis
        .world()
        .replaceAll("(=\\d{10})\\.\\d+", "$1.x")
        .replaceAll("claim=[^,}]+", "claim=c");
  }

  /** A replica that works on the same Redis, with a steady timer and a clock of its own. */
  private final class Replica {
    final AtomicLong timer = new AtomicLong();
    final RedisClock follower = new RedisClock(timer::get, redis.clock.instant());
    final TaskLeases leases =
        TaskLeasesAccess.broker(
                RedisBroker.on(
                    redis.link,
                    new TestTime(redis.clock) {
                      @Override
                      public Clock clock() {
                        return follower.clock();
                      }

                      @Override
                      public ElapsedBounds elapsedSince(Instant moment) {
                        return follower.elapsedSince(moment);
                      }
                    },
                    /* numberedEnqueue= */ true))
            .build();

    AttemptTime timeOf(LeasedTask task) {
      LeasedTask restored =
          leases.restore(task.queue().value(), task.id(), task.token()).orElseThrow();
      return leases.attemptTime(restored);
    }
  }

  /** Lets time pass for all of them. */
  private void pass(Duration time, Replica... replicas) {
    redis.clock.advance(time);
    for (Replica replica : replicas) {
      replica.timer.addAndGet(time.toNanos());
    }
    follow(replicas);
  }

  private void follow(Replica... replicas) {
    for (Replica replica : replicas) {
      long now = replica.timer.get();
      replica.follower.follow(redis.clock.instant(), now, now);
    }
  }

  // ---- the time of an attempt ----

  @Test
  void aStepOfTheClockTakesNoTimeFromAnAttempt() {
    redis.enqueue(redis.task("a", o -> o.timeout(Duration.ofMinutes(2))));
    Replica claiming = new Replica();
    Replica other = new Replica();
    LeasedTask task = claiming.leases.claim("q", 1, Duration.ofHours(1)).get(0);
    pass(Duration.ofMinutes(1), claiming, other);

    redis.clock.advance(Duration.ofMinutes(10));
    follow(claiming, other);

    assertThat(claiming.timeOf(task)).isEqualTo(AttemptTime.LEFT);
    assertThat(other.timeOf(task)).isEqualTo(AttemptTime.LEFT);
    pass(Duration.ofSeconds(59), claiming, other);
    assertThat(claiming.timeOf(task)).isEqualTo(AttemptTime.LEFT);
    assertThat(other.timeOf(task)).isEqualTo(AttemptTime.LEFT);
    pass(Duration.ofSeconds(1), claiming, other);
    assertThat(claiming.timeOf(task)).isEqualTo(AttemptTime.OVER);
    assertThat(other.timeOf(task)).isEqualTo(AttemptTime.OVER);
  }

  @Test
  void aProcessThatStartedLaterKnowsNoMoreThanItHasSeen() {
    redis.enqueue(redis.task("a", o -> o.timeout(Duration.ofMinutes(2))));
    LeasedTask task = new Replica().leases.claim("q", 1, Duration.ofHours(1)).get(0);
    redis.clock.advance(Duration.ofSeconds(119));
    Replica started = new Replica();
    assertThat(started.timeOf(task)).isEqualTo(AttemptTime.LEFT);

    redis.clock.advance(Duration.ofMinutes(10));
    Replica startedAfterAStep = new Replica();

    assertThat(startedAfterAStep.timeOf(task)).isEqualTo(AttemptTime.UNKNOWN);
    pass(Duration.ofMinutes(2), startedAfterAStep);
    assertThat(startedAfterAStep.timeOf(task)).isEqualTo(AttemptTime.OVER);
  }

  @Test
  void anAbandonedTaskIsRecoveredWhichCostsNoRetry() {
    redis.enqueue("a");
    LeasedTask task = leases.claim("q", 1, Duration.ofHours(1)).get(0);

    leases.abandon(List.of(task));
    redis.clock.advance(Duration.ofSeconds(2));

    assertThat(redis.recover()).hasSize(1);
    assertThat(redis.world())
        .contains("pending: [a]\n", "t:a: {crashes=1, msg=t(p) retry 0/25 ")
        .doesNotContain("failed:");
    assertThat(leases.complete(task)).isEmpty();
  }

  // ---- claim ----

  @Test
  void whatIsClaimedIsActiveUnderALease() {
    redis.enqueue("a", "b", "c");

    List<LeasedTask> claimed = leases.claim("q", 2, LEASE);

    assertThat(claimed).extracting(LeasedTask::id).containsExactly("a", "b");
    assertThat(world())
        .isEqualTo(
            """
            active: [b, a]
            asynq:queues: [q]
            lease: {a=4102488030.x, b=4102488030.x}
            pending: [c]
            t:a: {claim=c, msg=t(p) retry 0/25 timeout 1800, state=active}
            t:b: {claim=c, msg=t(p) retry 0/25 timeout 1800, state=active}
            t:c: {msg=t(p) retry 0/25 timeout 1800, pending_since=4102488000000000000, state=pending}
            """);
  }

  @Test
  void aLeasedTaskHasEverythingThatAWorkerNeeds() {
    redis.enqueue(
        redis.task("a", o -> o.maxRetry(3).timeout(Duration.ofMinutes(2)).header("trace", "1")));

    LeasedTask leased = claimOne();

    assertThat(leased.id()).isEqualTo("a");
    assertThat(leased.queue()).isEqualTo(Q);
    assertThat(leased.task())
        .isEqualTo(Task.of("t", Payload.ofUtf8("p")).withHeaders(Map.of("trace", "1")));
    assertThat(leased.retried()).isZero();
    assertThat(leased.maxRetry()).isEqualTo(3);
    assertThat(leased.deadline()).isEqualTo(NOON.plusSeconds(120));
    assertThat(leased.leasedUntil()).isEqualTo(NOON.plusSeconds(30));
    assertThat(leased.toString()).doesNotContain(leased.token().substring(0, 6));
  }

  @Test
  void aDeadlineWithoutEndFitsIntoTheToken() {
    redis.enqueue(redis.task("a", o -> o.deadline(Instant.MAX)));

    LeasedTask leased = claimOne();

    assertThat(leases.restore("q", "a", leased.token()).orElseThrow().deadline())
        .isEqualTo(leased.deadline())
        .isAfter(NOON.plus(Duration.ofDays(365_000)));
  }

  @Test
  void thereAreNeverMoreThanWereAskedForAlsoWhenOneCallCannotCarryThem() {
    redis.enqueueMany(130, o -> o);

    List<LeasedTask> claimed = leases.claim("q", 120, LEASE);

    assertThat(claimed).extracting(LeasedTask::id).hasSize(120).isSorted().doesNotHaveDuplicates();
    assertThat(leases.claim("q", 120, LEASE)).hasSize(10);
    assertThat(leases.claim("q", 120, LEASE)).isEmpty();
  }

  /** Claims that were granted a while ago, of a Redis that then fails. */
  private TaskLeases leasesThatFailAfterTheClaim() {
    LeaseOperations source = redis.broker.leases();
    LeaseOperations failing =
        (LeaseOperations)
            Proxy.newProxyInstance(
                LeaseOperations.class.getClassLoader(),
                new Class<?>[] {LeaseOperations.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("claimedAt")) {
                    return source
                        .claimedAt((Claim) arguments[0])
                        .map(at -> at.minus(Duration.ofMinutes(1)));
                  }
                  if (!method.getName().equals("claim")) {
                    throw new BrokerUnavailableException("away", true, new Exception());
                  }
                  ClaimBatch batch = (ClaimBatch) method.invoke(source, arguments);
                  return new ClaimBatch(
                      batch.claims().stream()
                          .map(
                              claim ->
                                  new Claim(
                                      claim.message(),
                                      claim.token(),
                                      claim.leasedUntil().minusSeconds(20)))
                          .toList(),
                      batch.rest(),
                      batch.heldUntil());
                });
    Broker broker =
        (Broker)
            Proxy.newProxyInstance(
                Broker.class.getClassLoader(),
                new Class<?>[] {Broker.class},
                (proxy, method, arguments) ->
                    method.getName().equals("leases")
                        ? failing
                        : method.invoke(redis.broker, arguments));
    return TaskLeasesAccess.broker(broker).build();
  }

  @Test
  void whatIsClaimedIsReturnedAlsoWhenItsLeaseCannotBeExtended() {
    redis.enqueue("a", "b");

    List<LeasedTask> claimed = leasesThatFailAfterTheClaim().claim("q", 5, LEASE);

    assertThat(claimed).extracting(LeasedTask::id).containsExactly("a", "b");
  }

  @Test
  void whatIsClaimedIsReturnedAlsoWhenOthersCannotBeGivenBack() {
    redis.enqueue(redis.task("late", options -> options.timeout(Duration.ofSeconds(30))));
    redis.enqueue(redis.task("in time", options -> options.timeout(Duration.ofHours(1))));

    List<LeasedTask> claimed = leasesThatFailAfterTheClaim().claim("q", 5, LEASE);

    assertThat(claimed).extracting(LeasedTask::id).containsExactly("in time");
  }

  @Test
  void aPausedOrUnknownQueueGivesNothing() {
    redis.enqueue("a");
    redis.queueControl().pause(Q);

    assertThat(leases.claim("q", 1, LEASE)).isEmpty();
    assertThat(leases.claim("unknown", 1, LEASE)).isEmpty();

    redis.queueControl().resume(Q);
    assertThat(leases.claim("q", 1, LEASE)).hasSize(1);
  }

  @Test
  void aLimitedQueueGivesNoMoreThanMayRunAndAnOperatorsLimitWins() {
    TaskLeases limited =
        TaskLeasesAccess.broker(redis.broker).queue("q", q -> q.maxActive(3)).build();
    redis.enqueueMany(10, o -> o);
    redis.claimOne();

    List<LeasedTask> claimed = limited.claim("q", 5, LEASE);
    assertThat(claimed).hasSize(2);
    assertThat(limited.claim("q", 5, LEASE)).isEmpty();

    limited.complete(claimed.get(0));
    assertThat(limited.claim("q", 5, LEASE)).hasSize(1);
    redis
        .queueControl()
        .setLimits(Q, new QueueLimits(OptionalInt.of(5), Optional.empty(), Optional.empty()));
    assertThat(leases.claim("q", 5, LEASE)).hasSize(2);
    assertThat(leases.claim("q", 5, LEASE)).isEmpty();
  }

  @Test
  void anOrderedQueueRunsOneTaskAtATimeAndAFailureBlocksIt() {
    TaskLeases ordered = TaskLeasesAccess.broker(redis.broker).queue("q", q -> q.ordered()).build();
    redis.enqueue("a", "b");
    LeasedTask first = ordered.claim("q", 5, LEASE).get(0);
    assertThat(ordered.claim("q", 5, LEASE)).isEmpty();

    assertThat(ordered.settle(first, Outcome.retry("boom", Duration.ofSeconds(10))))
        .contains(Outcome.retry("boom", Duration.ofSeconds(10)));

    assertThat(ordered.claim("q", 5, LEASE)).isEmpty();
    redis.clock.advance(Duration.ofSeconds(10));
    assertThat(ordered.claim("q", 5, LEASE))
        .singleElement()
        .satisfies(
            again -> {
              assertThat(again.id()).isEqualTo("a");
              assertThat(again.retried()).isEqualTo(1);
            });
  }

  @Test
  void aQueueThatAnOperatorTakesOutOfItsOrderKeepsTheLimitOfItsDefinition() {
    TaskDefinition definition =
        TaskDefinition.builder("q", TaskKind.WORKER).ordered(true).maxRun(2).build();
    TaskLeases defined =
        TaskLeasesAccess.broker(redis.broker).definitions(List.of(definition)).build();
    redis.enqueueMany(5, o -> o);
    assertThat(defined.claim("q", 5, LEASE)).hasSize(1);

    redis
        .queueControl()
        .setLimits(Q, new QueueLimits(OptionalInt.empty(), Optional.of(false), Optional.empty()));

    assertThat(defined.claim("q", 5, LEASE)).hasSize(1);
    assertThat(defined.claim("q", 5, LEASE)).isEmpty();
  }

  // ---- extend ----

  @Test
  void anExtendedLeaseEndsLaterAndOthersStay() {
    redis.enqueue("a", "b", "c");
    List<LeasedTask> claimed = leases.claim("q", 3, LEASE);
    redis.clock.advance(Duration.ofSeconds(20));

    assertThat(leases.extend(claimed.get(0), LEASE)).contains(NOON.plusSeconds(50));
    assertThat(leases.extend(List.of(claimed.get(2), claimed.get(0)), Duration.ofMinutes(1)))
        .containsExactly(Optional.of(NOON.plusSeconds(80)), Optional.of(NOON.plusSeconds(80)));

    assertThat(world()).contains("lease: {b=4102488030.x, a=4102488080.x, c=4102488080.x}\n");
  }

  @Test
  void aSettlementAfterAnExtensionStillFitsTheLease() {
    redis.enqueue("a");
    LeasedTask leased = claimOne();
    leases.extend(leased, Duration.ofMinutes(5));

    assertThat(leases.complete(leased)).contains(Outcome.done());
  }

  // ---- the verbs ----

  @Test
  void aCompletedTaskIsGoneAndCounted() {
    redis.enqueue("a");

    assertThat(leases.complete(claimOne())).contains(Outcome.done());

    assertThat(world()).isEqualTo("asynq:queues: [q]\nprocessed: 1\n" + COUNTED_DAY);
  }

  @Test
  void aCompletedTaskWithRetentionKeepsItsResult() {
    redis.enqueue(redis.task("a", o -> o.retention(Duration.ofHours(2))));

    assertThat(leases.complete(claimOne(), Payload.ofUtf8("ok")))
        .contains(Outcome.done(Payload.ofUtf8("ok")));

    assertThat(world())
        .isEqualTo(
            "asynq:queues: [q]\ncompleted: {a="
                + (T + 7_200)
                + "}\nprocessed: 1\n"
                + COUNTED_DAY
                + "t:a: {msg=t(p) retry 0/25 timeout 1800 retention 7200 completed 4102488000,"
                + " result=ok, state=completed}\n");
  }

  @Test
  void aFailedTaskWaitsAndHasOneRetryLess() {
    redis.enqueue("a");

    assertThat(leases.settle(claimOne(), Outcome.retry("boom", Duration.ofSeconds(10))))
        .contains(Outcome.retry("boom", Duration.ofSeconds(10)));

    assertThat(world())
        .isEqualTo(
            "asynq:queues: [q]\n"
                + FAILED_DAY
                + "processed: 1\n"
                + COUNTED_DAY
                + "retry: {a="
                + (T + 10)
                + "}\n"
                + "t:a: {failures=[boom], msg=t(p) retry 1/25 timeout 1800 failed 4102488000 error"
                + " 'boom', state=retry}\n");
  }

  @Test
  void withoutADelayTheRetryPolicyGetsTheErrorOfTheWorker() {
    List<Object> asked = new ArrayList<>();
    RetryPolicy policy =
        (retried, error, task) -> {
          asked.addAll(List.of(retried, String.valueOf(error.getMessage()), task.type()));
          return Duration.ofMillis(1_250);
        };
    redis.enqueue("a");

    TaskLeasesAccess.broker(redis.broker)
        .retryPolicy(policy)
        .build()
        .settle(claimOne(), Outcome.retry("boom"));

    assertThat(asked).containsExactly(0, "boom", "t");
    assertThat(world()).contains("retry: {a=4102488001}\n", "due_ms=4102488001250");
  }

  @Test
  void aQueueMayHaveARetryPolicyOfItsOwn() {
    TaskLeases own =
        TaskLeasesAccess.broker(redis.broker)
            .retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(5)))
            .retryPolicy("q", RetryPolicy.fixed(Duration.ofSeconds(7)))
            .build();
    redis.enqueue(
        redis.task("a"),
        NewTask.of(Task.of("t"), TaskOptions.of(o -> o.id("z").queue("other")), NOON));

    assertThat(own.settle(claimOne(), Outcome.retry("boom")))
        .contains(Outcome.retry("boom", Duration.ofSeconds(7)));
    assertThat(own.settle(own.claim("other", 1, LEASE).get(0), Outcome.retry("boom")))
        .contains(Outcome.retry("boom", Duration.ofSeconds(5)));
  }

  @Test
  void theCallerLearnsWhatWasWritten() {
    redis.enqueue(
        redis.task("a"), redis.task("b"), redis.task("c", o -> o.retention(Duration.ofHours(1))));
    List<LeasedTask> claimed = leases.claim("q", 3, LEASE);
    String cut = "x".repeat(2_000) + "…";
    Duration century = Duration.ofDays(36_500);

    assertThat(leases.settle(claimed.get(0), Outcome.archive("x".repeat(2_001))))
        .contains(Outcome.archive(cut));
    assertThat(leases.settle(claimed.get(1), Outcome.snooze(century.plusSeconds(1))))
        .contains(Outcome.snooze(century));
    assertThat(leases.settle(claimed.get(2), Outcome.done(List.of(1, 2))))
        .contains(Outcome.done(Payload.ofUtf8("[1,2]")));

    assertThat(redis.tasks().task(Q, "a").lastError()).isEqualTo(cut);
    assertThat(redis.tasks().task(Q, "c").result()).isEqualTo(Payload.ofUtf8("[1,2]"));
  }

  @Test
  void aLeasedTaskReportsWhetherThisIsItsLastAttempt() {
    redis.enqueue(redis.task("a", o -> o.maxRetry(1)), redis.task("b", o -> o.maxRetry(0)));

    assertThat(leases.claim("q", 2, LEASE))
        .extracting(LeasedTask::isLastAttempt)
        .containsExactly(false, true);
  }

  @Test
  void theStandardRetryPolicyAppliesByDefault() {
    redis.enqueue("a");

    leases.settle(claimOne(), Outcome.retry("boom"));

    long due =
        (long) Double.parseDouble(redis.rawText(Command.ZSCORE, BrokerFixture.key("retry"), "a"));
    assertThat(due - T).isBetween(15L, 44L);
  }

  @Test
  void aTaskWithoutRetriesLeftIsArchivedInsteadAndTheCallerIsInformed() {
    redis.enqueue(redis.task("a", o -> o.maxRetry(0)));

    assertThat(leases.settle(claimOne(), Outcome.retry("boom", Duration.ofSeconds(10))))
        .contains(Outcome.archive("boom"));

    assertThat(world())
        .isEqualTo(
            "archived: {a="
                + T
                + "}\nasynq:queues: [q]\n"
                + FAILED_DAY
                + "processed: 1\n"
                + COUNTED_DAY
                + "t:a: {failures=[boom], msg=t(p) retry 0/0 timeout 1800 failed 4102488000 error"
                + " 'boom', state=archived}\n");
  }

  @Test
  void anArchivedTaskKeepsItsErrorAndTheArchiveItsSize() {
    redis.enqueue("a", "b");
    TaskLeases small =
        TaskLeasesAccess.broker(redis.broker).archive(archive -> archive.maxSize(1)).build();
    List<LeasedTask> claimed = leases.claim("q", 2, LEASE);
    small.settle(claimed.get(0), Outcome.archive("old"));
    redis.clock.advance(Duration.ofSeconds(1));

    assertThat(small.settle(claimed.get(1), Outcome.archive("bad")))
        .contains(Outcome.archive("bad"));

    assertThat(world())
        .contains("archived: {b=" + (T + 1) + "}\n", "error 'bad', state=archived}\n")
        .doesNotContain("t:a");
  }

  @Test
  void aSnoozedTaskIsScheduledAndNotCounted() {
    redis.enqueue("a");

    assertThat(leases.settle(claimOne(), Outcome.snooze(Duration.ofSeconds(7))))
        .contains(Outcome.snooze(Duration.ofSeconds(7)));

    assertThat(world())
        .isEqualTo(
            """
            asynq:queues: [q]
            scheduled: {a=4102488007}
            t:a: {msg=t(p) retry 0/25 timeout 1800, state=scheduled}
            """);
  }

  @Test
  void releasedTasksStandAtTheHeadInTheirOldOrder() {
    redis.enqueue("a", "b", "c");
    List<LeasedTask> claimed = leases.claim("q", 2, LEASE);

    assertThat(
            leases.settle(
                claimed.stream().map(task -> new LeaseOutcome(task, Outcome.requeue())).toList()))
        .containsExactly(Optional.of(Outcome.requeue()), Optional.of(Outcome.requeue()));

    assertThat(world())
        .isEqualTo(
            """
            asynq:queues: [q]
            pending: [c, b, a]
            t:a: {msg=t(p) retry 0/25 timeout 1800, pending_since=4102488000000000000, state=pending}
            t:b: {msg=t(p) retry 0/25 timeout 1800, pending_since=4102488000000000000, state=pending}
            t:c: {msg=t(p) retry 0/25 timeout 1800, pending_since=4102488000000000000, state=pending}
            """);
    assertThat(leases.settle(claimOne(), Outcome.requeue())).contains(Outcome.requeue());
  }

  @Test
  void aDroppedTaskIsGoneWhateverItsRetention() {
    redis.enqueue(redis.task("a", o -> o.retention(Duration.ofHours(2))));

    assertThat(leases.settle(claimOne(), Outcome.drop())).contains(Outcome.drop());

    assertThat(world()).isEqualTo("asynq:queues: [q]\nprocessed: 1\n" + COUNTED_DAY);
  }

  @Test
  void manyOfSeveralQueuesAreSettledAtOnceAndEachIsAnswered() {
    NewTask other = NewTask.of(Task.of("t"), TaskOptions.of(o -> o.id("z").queue("other")), NOON);
    redis.enqueue(redis.task("a"), redis.task("b"), other, redis.task("c"));
    List<LeasedTask> claimed = leases.claim("q", 3, LEASE);
    LeasedTask elsewhere = leases.claim("other", 1, LEASE).get(0);
    leases.settle(claimed.get(1), Outcome.drop());

    assertThat(
            leases.settle(
                List.of(
                    new LeaseOutcome(claimed.get(2), Outcome.snooze(Duration.ofSeconds(1))),
                    new LeaseOutcome(elsewhere, Outcome.done()),
                    new LeaseOutcome(claimed.get(1), Outcome.done()),
                    new LeaseOutcome(
                        claimed.get(0), Outcome.retry("boom", Duration.ofSeconds(1))))))
        .containsExactly(
            Optional.of(Outcome.snooze(Duration.ofSeconds(1))),
            Optional.of(Outcome.done()),
            Optional.empty(),
            Optional.of(Outcome.retry("boom", Duration.ofSeconds(1))));
    assertThat(leases.extend(List.of(elsewhere, claimed.get(0)), LEASE))
        .containsExactly(Optional.empty(), Optional.empty());
    assertThat(leases.settle(List.of())).isEmpty();
  }

  // ---- lost leases ----

  /** All actions on a lease; each returns whether it was lost. */
  private List<Function<LeasedTask, Boolean>> everything() {
    return List.of(
        task -> leases.extend(task, LEASE).isEmpty(),
        task -> leases.complete(task).isEmpty(),
        task -> leases.complete(task, Payload.ofUtf8("r")).isEmpty(),
        task -> leases.settle(task, Outcome.retry("e")).isEmpty(),
        task -> leases.settle(task, Outcome.archive("e")).isEmpty(),
        task -> leases.settle(task, Outcome.snooze(Duration.ofSeconds(1))).isEmpty(),
        task -> leases.settle(task, Outcome.requeue()).isEmpty(),
        task -> leases.settle(task, Outcome.drop()).isEmpty(),
        task -> !leases.writeResult(task, Payload.ofUtf8("r")),
        task -> !leases.progress(task, 1, "n"),
        task -> leases.restore("q", task.id(), task.token()).isEmpty());
  }

  private void hasNoEffect(LeasedTask lost) {
    String before = redis.world();
    for (int i = 0; i < everything().size(); i++) {
      assertThat(everything().get(i).apply(lost)).as("number %d is lost", i).isTrue();
      assertThat(redis.world()).as("after number %d", i).isEqualTo(before);
    }
  }

  @Test
  void aLeaseThatEndedAndWasGivenToAnotherCanDoNothing() {
    redis.enqueue("a");
    LeasedTask slow = claimOne();
    redis.clock.advance(Duration.ofSeconds(31));
    redis.recover();
    hasNoEffect(slow);

    LeasedTask next = claimOne();

    hasNoEffect(slow);
    assertThat(leases.complete(next)).contains(Outcome.done());
    hasNoEffect(slow);
  }

  @Test
  void anExpiredLeaseIsStillValidWhileNoOtherWorkerHasTheTask() {
    redis.enqueue("a", "b");
    List<LeasedTask> claimed = leases.claim("q", 2, LEASE);
    redis.clock.advance(Duration.ofMinutes(5));

    assertThat(leases.extend(claimed.get(0), LEASE)).contains(NOON.plusSeconds(330));
    assertThat(leases.complete(claimed.get(1))).contains(Outcome.done());
  }

  @Test
  void aTaskThatAGoWorkerHasByNowIsItsOwn() {
    redis.enqueue("a");
    LeasedTask slow = claimOne();
    redis.clock.advance(Duration.ofSeconds(31));
    redis.recover();
    redis.claimAsGo("a", T + 61);

    hasNoEffect(slow);
  }

  @Test
  void aGoWorkersLeaseIsNotOursEvenIfTheClaimOfAVanishedWorkerIsStillInTheRecord() {
    redis.enqueue("a");
    LeasedTask slow = claimOne();
    redis.raw(Command.ZADD, BrokerFixture.key("lease"), Long.toString(T + 61), "a");

    hasNoEffect(slow);
  }

  @Test
  void aSettledLeaseCannotBeSettledAgain() {
    redis.enqueue("a");
    LeasedTask leased = claimOne();
    leases.settle(leased, Outcome.requeue());

    hasNoEffect(leased);
  }

  // ---- restore ----

  @Test
  void aLeaseIsRestoredFromItsToken() {
    redis.enqueue(redis.task("a", o -> o.timeout(Duration.ofMinutes(2)).header("k", "v")));
    redis.clock.advance(Duration.ofMillis(123));
    LeasedTask leased = claimOne();
    redis.clock.advance(Duration.ofSeconds(10));
    leases.extend(leased, LEASE);
    String before = redis.world();
    TaskLeases elsewhere = TaskLeasesAccess.broker(redis.broker).build();

    LeasedTask restored = elsewhere.restore("q", "a", leased.token()).orElseThrow();

    assertThat(redis.world()).isEqualTo(before);
    assertThat(restored).isEqualTo(leased).hasSameHashCodeAs(leased);
    assertThat(restored.task()).isEqualTo(leased.task());
    assertThat(restored.token()).isEqualTo(leased.token());
    assertThat(restored.deadline()).isEqualTo(NOON.plusSeconds(120).plusMillis(123));
    assertThat(restored.leasedUntil()).isEqualTo(NOON.plusSeconds(40));
    assertThat(elsewhere.settle(restored, Outcome.retry("boom", Duration.ofSeconds(1))))
        .contains(Outcome.retry("boom", Duration.ofSeconds(1)));
    assertThat(elsewhere.restore("q", "a", leased.token())).isEmpty();
  }

  @Test
  void whatIsNoTokenOfThisLeaseRestoresNothing() {
    redis.enqueue("a", "b");
    String token = claimOne().token();
    String other = claimOne().token();

    for (String wrong :
        Stream.of(
                "",
                ".",
                "-",
                "é",
                "000000",
                token.substring(0, 6),
                token.substring(0, token.indexOf('.')),
                token + "!",
                "." + token,
                token.replace('-', '_'),
                other)
            .toList()) {
      assertThat(leases.restore("q", "a", wrong)).as(wrong).isEmpty();
    }
    assertThat(leases.restore("q", "b", token)).isEmpty();
    assertThat(leases.restore("other", "a", token)).isEmpty();
    assertThat(leases.restore("q", "a", token)).isPresent();
  }

  @Test
  void manyLeasesOfManyQueuesAreRestoredTogether() {
    redis.enqueue("a", "b");
    LeasedTask one = claimOne();
    LeasedTask two = claimOne();
    leases.complete(two);

    List<Optional<LeasedTask>> restored =
        leases.restore(
            List.of(
                new LeaseProof("q", "b", two.token()),
                new LeaseProof("other", "a", one.token()),
                new LeaseProof("q", "a", "nonsense"),
                new LeaseProof("q", "a", one.token())));

    assertThat(restored)
        .containsExactly(Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(one));
  }

  @Test
  void aLeaseKnowsThatItsTaskIsToStopAndTheNextOneDoesNot() {
    redis.enqueue("a");
    LeasedTask leased = claimOne();
    assertThat(leases.restore("q", "a", leased.token()).orElseThrow().cancelled()).isEmpty();

    redis.actions().markCancelled(Q, "a", AfterCancel.ARCHIVE);

    assertThat(leases.restore("q", "a", leased.token()).orElseThrow().cancelled())
        .contains(AfterCancel.ARCHIVE);
    leases.settle(leased, Outcome.requeue());
    LeasedTask next = claimOne();
    assertThat(leases.restore("q", "a", next.token()).orElseThrow().cancelled()).isEmpty();
    assertThat(redis.world()).doesNotContain("cancel=");
  }

  @Test
  void whatDoesNotRunIsNotMarked() {
    redis.enqueue("a");
    String before = redis.world();

    redis.actions().markCancelled(Q, "a", AfterCancel.ARCHIVE);
    redis.actions().markCancelled(Q, "gone", AfterCancel.ARCHIVE);

    assertThat(redis.world()).isEqualTo(before);
  }

  @Test
  void theHolderOfATokenCannotChangeTheDeadlineOfTheAttempt() {
    redis.enqueue(redis.task("a", o -> o.timeout(Duration.ofMinutes(1)).retention(LEASE)));
    LeasedTask leased = claimOne();
    String claim = leased.token().substring(0, leased.token().indexOf('.'));
    String later = Long.toString(leased.deadline().plus(Duration.ofDays(9)).toEpochMilli(), 36);

    LeasedTask restored = leases.restore("q", "a", claim + "." + later).orElseThrow();

    assertThat(restored.deadline()).isEqualTo(leased.deadline());
  }

  @Test
  void theTimeOfAClaimCannotBeChangedEither() {
    redis.enqueue("a");
    String token = claimOne().token();
    int end = token.indexOf('.');
    String changed = token.substring(0, end - 1) + (token.charAt(end - 1) == '0' ? '1' : '0');

    assertThat(leases.restore("q", "a", changed + token.substring(end))).isEmpty();
  }

  @Test
  void aTaskWhoseRecordIsBrokenIsNotRestored() {
    redis.enqueue("a");
    String token = claimOne().token();
    redis.raw(Command.HSET, RedisKeys.task(Q, "a"), "msg", "\u0001");

    assertThat(leases.restore("q", "a", token)).isEmpty();
  }

  // ---- completing by tokens ----

  private LeaseResult result(LeasedTask task, String result) {
    return new LeaseResult(
        new LeaseProof(task.queue().value(), task.id(), task.token()), Payload.ofUtf8(result));
  }

  @Test
  void tasksAreCompletedByTheirTokensWithWhatTheyLeaveBehind() {
    redis.enqueue("gone");
    redis.enqueue(redis.task("kept", o -> o.retention(Duration.ofHours(1))));
    redis.enqueue(redis.task("locked", o -> o.uniqueFor(Duration.ofHours(1))));
    redis.enqueue("lost");
    redis.enqueue("tampered");
    List<LeasedTask> all = leases.claim("q", 9, LEASE);
    leases.settle(all.get(3), Outcome.requeue());
    LeasedTask tampered = all.get(4);
    LeaseProof bad = new LeaseProof("q", tampered.id(), "123456-z" + tampered.token().substring(8));

    List<Optional<Outcome>> ends =
        leases.complete(
            List.of(
                result(all.get(3), "r"),
                result(all.get(1), "r"),
                new LeaseResult(bad, Payload.absent()),
                result(all.get(0), "r"),
                new LeaseResult(new LeaseProof("q", "gone", "nonsense"), Payload.absent()),
                result(all.get(2), "r"),
                result(all.get(0), "again")));

    assertThat(ends)
        .containsExactly(
            Optional.empty(),
            Optional.of(Outcome.done(Payload.ofUtf8("r"))),
            Optional.empty(),
            Optional.of(Outcome.done()),
            Optional.empty(),
            Optional.of(Outcome.done(Payload.ofUtf8("r"))),
            Optional.empty());
    assertThat(redis.tasks().task(Q, "kept").result()).isEqualTo(Payload.ofUtf8("r"));
    assertThat(redis.tasks().task(Q, "tampered").state()).isEqualTo(TaskState.ACTIVE);
    assertThat(redis.tasks().task(Q, "lost").state()).isEqualTo(TaskState.PENDING);
    assertThat(redis.world()).doesNotContain("t:gone", "t:locked", ":unique:");
    assertThat(redis.queues().snapshot(Q).processed()).isEqualTo(3);
  }

  @Test
  void whatLeavesNothingBehindIsCompletedInOneCall() {
    redis.enqueue("a", "b", "c");
    List<LeaseResult> results =
        leases.claim("q", 3, LEASE).stream().map(task -> result(task, "")).toList();
    long before = scriptCalls();

    assertThat(leases.complete(results)).containsOnly(Optional.of(Outcome.done()));

    assertThat(scriptCalls() - before).isEqualTo(1);
  }

  // ---- results and progress ----

  @Test
  void resultsAndProgressAreSeenWhileTheTaskRuns() {
    redis.enqueue("a");
    LeasedTask leased = claimOne();

    assertThat(leases.writeResult(leased, Payload.ofUtf8("half"))).isTrue();
    assertThat(leases.progress(leased, 50, "page 3 of 6")).isTrue();

    assertThat(redis.tasks().task(Q, "a").result()).isEqualTo(Payload.ofUtf8("half"));
    assertThat(redis.tasks().task(Q, "a").progress()).isEqualTo(new Progress(50, "page 3 of 6"));
    assertThatThrownBy(() -> leases.progress(leased, 101, ""))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theProgressOfManyIsWrittenInOneCallForEachQueueAndEachIsAnswered() {
    redis.enqueue("a", "b", "c");
    List<LeasedTask> leased = leases.claim("q", 3, LEASE);
    leases.settle(leased.get(1), Outcome.requeue());
    long before = scriptCalls();

    List<Boolean> written =
        leases.progress(
            leased.stream()
                .map(each -> new LeaseProgress(each, new Progress(7, "of " + each.id())))
                .toList());

    assertThat(written).containsExactly(true, false, true);
    assertThat(scriptCalls() - before).isEqualTo(1);
    assertThat(redis.tasks().task(Q, "c").progress()).isEqualTo(new Progress(7, "of c"));
    assertThat(redis.tasks().task(Q, "b").progress()).isNull();
    assertThat(leases.progress(List.of())).isEmpty();
  }

  private long scriptCalls() {
    String stats = redis.rawText(Command.INFO, "commandstats");
    Matcher calls = Pattern.compile("cmdstat_evalsha:calls=(\\d+)").matcher(stats);
    return calls.find() ? Long.parseLong(calls.group(1)) : 0;
  }

  // ---- what cannot be meant ----

  @Test
  void invalidArgumentsAreRejected() {
    redis.enqueue("a");
    LeasedTask leased = claimOne();

    assertThatThrownBy(() -> leases.claim("q", 0, LEASE))
        .hasMessage("the number of tasks to claim must be 1 or greater, got 0");
    assertThatThrownBy(() -> leases.claim("q", 1, Duration.ofMillis(999)))
        .hasMessage("a lease must be 1s to 1d, got 999ms");
    assertThatThrownBy(() -> leases.extend(leased, Duration.ofDays(2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> leases.settle(leased, Outcome.snooze(Duration.ofSeconds(-1))))
        .hasMessage("delay must not be negative, got PT-1S");
    assertThatThrownBy(() -> leases.settle(leased, Outcome.retry("e", Duration.ofSeconds(-1))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> leases.claim(" ", 1, LEASE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(QueueName.of("q")).isEqualTo(leased.queue());
  }

  @Test
  void aRetryPolicyThatThrowsLeavesEveryTaskAsItWas() {
    leases =
        TaskLeasesAccess.broker(redis.broker)
            .retryPolicy(
                (retried, error, task) -> {
                  throw new IllegalStateException("no delay");
                })
            .build();
    redis.enqueue("a");
    LeasedTask first = claimOne();
    redis
        .broker
        .enqueueing()
        .enqueue(
            List.of(NewTask.of(Task.of("t"), TaskOptions.of(o -> o.id("b").queue("other")), NOON)));
    LeasedTask second = leases.claim("other", 1, LEASE).get(0);
    String before = redis.world();

    assertThatThrownBy(
            () ->
                leases.settle(
                    List.of(
                        new LeaseOutcome(first, Outcome.done()),
                        new LeaseOutcome(second, Outcome.retry("failed")))))
        .hasMessage("no delay");

    assertThat(redis.world()).isEqualTo(before);
    assertThat(leases.complete(first)).contains(Outcome.done());
  }

  @Test
  void aResultThatIsTooLargeIsDroppedAndTheTaskRecordsIt() {
    TaskLeases small = TaskLeasesAccess.broker(redis.broker).maxResult(4).build();
    redis.enqueue(redis.task("a", o -> o.retention(Duration.ofHours(1))));
    LeasedTask leased = claimOne();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> small.writeResult(leased, Payload.ofUtf8("12345")))
        .withMessageContaining("5 bytes, the limit is 4");
    assertThat(small.complete(leased, Payload.ofUtf8("12345"))).contains(Outcome.done());

    TaskInfo info = redis.tasks().task(Q, "a");
    assertThat(info.isResultDropped()).isTrue();
    assertThat(info.result().isPresent()).isFalse();
  }
}
