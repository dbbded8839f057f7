package io.asynq4j.internal.redis.store;

import static io.asynq4j.fixture.BrokerFixture.LEASE;
import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static io.asynq4j.fixture.BrokerFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.TestTime;
import io.asynq4j.internal.broker.Aggregation.AggregationSet;
import io.asynq4j.internal.broker.Aggregation.FinishAnswer;
import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer.Status;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.connection.RedisNodes;
import io.asynq4j.internal.redis.simulation.LossyRedisNodes;
import io.asynq4j.internal.redis.simulation.SimulatedWorker;
import io.asynq4j.redis.RedisConfig;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol.Command;

/** Defects that random runs have found. */
interface RegressionContract {

  BrokerFixture redis();

  /** A worker of its own that gives up when an answer is lost. */
  private SimulatedWorker hastyWorker() {
    return new SimulatedWorker(
        "hasty", /* patient= */ false, redis().server.config(), redis().clock);
  }

  @Test
  default void anEnqueueWithoutASequenceNumberIsNotResentAndReportedAsUncertain() {
    RedisConfig config =
        redis().server.config().toBuilder().retryFor(Duration.ofSeconds(2)).build();
    LossyRedisNodes nodes = new LossyRedisNodes(RedisNodes.of(config));
    try (RedisCommandExecutor link = new RedisCommandExecutor(config, () -> nodes)) {
      RedisBroker broker =
          RedisBroker.on(link, new TestTime(redis().clock), /* numberedEnqueue= */ false);
      nodes.loseAnswer(1);

      assertThatThrownBy(() -> broker.enqueueing().enqueue(List.of(redis().task("a"))))
          .isInstanceOfSatisfying(
              BrokerUnavailableException.class, e -> assertThat(e.mayHaveBeenApplied()).isTrue());

      assertThat(redis().world()).contains("pending: [a]\n");
      assertThat(redis().raw(Command.EXISTS, key("lane"))).isEqualTo(0L);
    }
  }

  @Test
  default void anUnansweredClaimIsStillKnownAfterOtherCallsOfTheSameWorker() {
    redis().enqueue("a", "b", "c");
    try (SimulatedWorker worker = hastyWorker()) {
      LeaseOperations source = worker.broker.leases();
      Claim first = source.claim(Q, 1, LEASE, QueueRules.NONE).claims().get(0);
      worker.nodes.loseAnswer(1);
      assertThatThrownBy(() -> source.claim(Q, 1, LEASE, QueueRules.NONE))
          .isInstanceOf(BrokerUnavailableException.class);
      source.settle(Q, List.of(new Settlement.Drop(first)), QueueRules.NONE, ArchiveRules.DEFAULT);

      List<Claim> again = source.claim(Q, 1, LEASE, QueueRules.NONE).claims();

      assertThat(again).extracting(Claim::id).containsExactly("b");
      assertThat(redis().world()).contains("active: [b]\n", "pending: [c]\n");
    }
  }

  @Test
  default void anUnansweredClaimGivesNoMoreThanIsAskedForNow() {
    redis().enqueue("a", "b", "c");
    try (SimulatedWorker worker = hastyWorker()) {
      LeaseOperations source = worker.broker.leases();
      worker.nodes.loseAnswer(1);
      assertThatThrownBy(() -> source.claim(Q, 3, LEASE, QueueRules.NONE))
          .isInstanceOf(BrokerUnavailableException.class);

      List<Claim> again = source.claim(Q, 1, LEASE, QueueRules.NONE).claims();

      assertThat(again).extracting(Claim::id).containsExactly("a");
      assertThat(redis().world()).contains("active: [a]\n", "pending: [c, b]\n");
    }
  }

  @Test
  default void anExactTimeOfAnEarlierWaitDoesNotHoldUpARetryOfAGoWorker() {
    redis().enqueue(redis().task("a", o -> o.processIn(Duration.ofHours(1)).precise()));
    goMovesItToRetry("a", T + 10);
    assertThat(redis().tasks().task(Q, "a").nextProcessAt()).isEqualTo(NOON.plusSeconds(10));
    redis().clock.advance(Duration.ofSeconds(10));

    assertThat(redis().upkeep().forward(Q, 10).moved()).isEqualTo(1);

    assertThat(redis().world()).contains("pending: [a]\n").doesNotContain("due_ms");
  }

  /** As Go's inspector and then a Go worker leave it: fields they do not know stay. */
  private void goMovesItToRetry(String id, long at) {
    redis().raw(Command.ZREM, key("scheduled"), id);
    redis().raw(Command.ZADD, key("retry"), Long.toString(at), id);
    redis().raw(Command.HSET, RedisKeys.task(Q, id), "state", "retry");
  }

  @Test
  default void aTaskThatHeldTheLineHoldsItNoMoreAtTheTail() {
    QueueRules ordered = new QueueRules(0, true);
    redis().enqueue("a");
    redis()
        .settle(
            new Settlement.Retry(redis().claimOne(), Duration.ofHours(1), "no", true, false),
            ordered);
    // A Go worker does not know that it is held, and fails.
    redis().raw(Command.LREM, key("pending"), "0", "a");
    goMovesItToRetry("a", T + 10);
    redis().clock.advance(Duration.ofSeconds(10));
    redis().upkeep().forward(Q, 10);

    assertThat(redis().claimBatch(1, ordered).claims()).extracting(Claim::id).containsExactly("a");
  }

  @Test
  default void aTaskThatHasBecomePartOfAnotherIsOutOfReachUntilItIsSwept() {
    redis().enqueue(redis().task("a", o -> o.group("g")));
    AggregationSet set =
        redis()
            .aggregation()
            .aggregate(
                Q, "g", new GroupRules(1, Duration.ZERO, Duration.ZERO, Duration.ofMinutes(2)))
            .orElseThrow();
    assertThat(redis().aggregation().finish(set, redis().task("all"))).isEqualTo(FinishAnswer.DONE);
    String before = redis().world();

    ActionAnswer refused = new ActionAnswer(Status.WRONG_STATE, TaskState.AGGREGATING);
    assertThat(redis().actions().run(Q, List.of("a"))).containsExactly(refused);
    assertThat(
            redis()
                .actions()
                .archive(Q, List.of("a"), ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST)
                .answers())
        .containsExactly(refused);
    assertThat(redis().actions().delete(Q, List.of("a"))).containsExactly(refused);

    assertThat(redis().world()).isEqualTo(before);
    assertThat(redis().aggregation().sweep(Q, 10)).isEqualTo(1);
    assertThat(redis().world()).contains("pending: [all]\n").doesNotContain("t:a:", "spent");
  }

  @Test
  default void aPoisonousTaskReleasesItsLockWhereArchivingIsToDoSo() {
    ArchiveRules releasing = new ArchiveRules(100, Duration.ofDays(1), true);
    redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofHours(1))));
    redis().claimOne();
    redis().clock.advance(Duration.ofSeconds(16));

    redis()
        .upkeep()
        .recover(
            Q, 10, new CrashRules(1, Duration.ZERO, Duration.ZERO), QueueRules.NONE, releasing);

    assertThat(redis().world()).contains("archived: {a=").doesNotContain("\nunique:t");
  }

  @Test
  default void anOperatorsArchivingReleasesTheLockWhereItIsToDoSo() {
    ArchiveRules releasing = new ArchiveRules(100, Duration.ofDays(1), true);
    redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofHours(1))));

    redis().actions().archive(Q, List.of("a"), releasing, WhenFull.DROP_OLDEST);

    assertThat(redis().world()).contains("archived: {a=").doesNotContain("\nunique:t");
  }
}
