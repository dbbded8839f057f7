package io.asynq4j.internal.redis.store;

import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.NewTask.Placement;
import io.asynq4j.internal.redis.command.RedisKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol.Command;

/** Enqueueing tasks: requirements e01 to e13, b06 and b07. */
interface EnqueueContract {

  BrokerFixture redis();

  String LOCK = "unique:t:83878c91171338902e0fe0fb97a8c47a";

  @Test
  default void e01_enqueuePutsATaskAtTheTailOfItsQueueAndRegistersTheQueue() {
    redis().enqueue("a", "b");

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            pending: [b, a]
            t:a: {msg=t(p) retry 0/25 timeout 1800, pending_since=4102488000000000000, state=pending}
            t:b: {msg=t(p) retry 0/25 timeout 1800, pending_since=4102488000000000000, state=pending}
            """);
  }

  @Test
  default void e02_anIdThatExistsIsRefusedAndNothingChanges() {
    redis().enqueue("a");
    String before = redis().world();

    assertThat(redis().enqueue(redis().task("a", o -> o.maxRetry(1))))
        .containsExactly(EnqueueReply.ID_CONFLICT);

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void e03_aRemovedQueueIsRegisteredAgainByTheNextTask() {
    redis().enqueue("a");
    redis().queueRemoval().remove(BrokerFixture.Q, true);
    assertThat(redis().world()).isEmpty();

    redis().enqueue("b");

    assertThat(redis().queues().names()).containsExactly("q");
  }

  @Test
  default void e04_aUniqueTaskTakesALockThatRefusesItsEqual() {
    NewTask first = redis().task("a", o -> o.uniqueFor(Duration.ofMinutes(10)));
    NewTask second = redis().task("b", o -> o.uniqueFor(Duration.ofMinutes(10)));

    assertThat(redis().enqueue(first, second))
        .containsExactly(EnqueueReply.ENQUEUED, EnqueueReply.duplicateOf("a"));

    String lock = BrokerFixture.key(LOCK);
    assertThat(redis().world())
        .isEqualTo(
            "asynq:queues: [q]\n"
                + "pending: [a]\n"
                + "t:a: {msg=t(p) retry 0/25 timeout 1800 unique, pending_since=4102488000000000000,"
                + " state=pending, unique_key="
                + lock
                + "}\n"
                + LOCK
                + ": a for 600s\n");
  }

  @Test
  default void e05_fixesQ01_anIdConflictLeavesNoLockBehind() {
    redis().enqueue("a");
    String before = redis().world();

    assertThat(redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofMinutes(10)))))
        .containsExactly(EnqueueReply.ID_CONFLICT);

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void aLockHeldByAnotherIsReportedEvenIfTheIdIsTakenToo() {
    redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofMinutes(10))));

    assertThat(redis().enqueue(redis().task("a", o -> o.uniqueFor(Duration.ofMinutes(10)))))
        .containsExactly(EnqueueReply.duplicateOf("a"));
  }

  @Test
  default void e06_aGroupedTaskWaitsInItsGroup() {
    redis().enqueue(redis().task("a", o -> o.group("g:1")));

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            g:g:1: {a=4102488000}
            groups: [g:1]
            t:a: {group=g:1, msg=t(p) retry 0/25 timeout 1800 group g:1, state=aggregating}
            """);
  }

  @Test
  default void e07_aGroupedTaskWithATakenIdIsRefused() {
    redis().enqueue("a");
    String before = redis().world();

    assertThat(redis().enqueue(redis().task("a", o -> o.group("g"))))
        .containsExactly(EnqueueReply.ID_CONFLICT);

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void e08_fixesQ02_aUniqueGroupedTaskRemembersItsLock() {
    NewTask first = redis().task("a", o -> o.group("g").uniqueFor(Duration.ofMinutes(10)));
    NewTask second = redis().task("b", o -> o.group("g").uniqueFor(Duration.ofMinutes(10)));

    assertThat(redis().enqueue(first, second))
        .containsExactly(EnqueueReply.ENQUEUED, EnqueueReply.duplicateOf("a"));

    assertThat(redis().world())
        .contains(
            "g:g: {a=4102488000}\n",
            "unique_key=" + BrokerFixture.key(LOCK),
            LOCK + ": a for 600s");
  }

  @Test
  default void e09_aUniqueGroupedTaskWithATakenIdLeavesNoLock() {
    redis().enqueue("a");

    assertThat(
            redis().enqueue(redis().task("a", o -> o.group("g").uniqueFor(Duration.ofMinutes(1)))))
        .containsExactly(EnqueueReply.ID_CONFLICT);

    assertThat(redis().world()).doesNotContain("unique:");
  }

  @Test
  default void e10_aScheduledTaskWaitsForItsTimeRoundedUpToASecond() {
    redis().enqueue(redis().task("a", o -> o.processAt(NOON.plusMillis(3_600_001))));
    redis().enqueue(redis().task("b", o -> o.processIn(Duration.ofHours(2))));

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            scheduled: {a=4102491601, b=4102495200}
            t:a: {msg=t(p) retry 0/25 timeout 1800, state=scheduled}
            t:b: {msg=t(p) retry 0/25 timeout 1800, state=scheduled}
            """);
  }

  @Test
  default void aPreciselyScheduledTaskKeepsItsMillisecondBesideTheWholeSecond() {
    redis().enqueue(redis().task("a", o -> o.processAt(NOON.plusMillis(1_999)).precise()));

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            scheduled: {a=4102488001}
            t:a: {due_ms=4102488001999, msg=t(p) retry 0/25 timeout 1800, state=scheduled}
            """);
  }

  @Test
  default void e11_aScheduledTaskWithATakenIdIsRefused() {
    redis().enqueue("a");
    String before = redis().world();

    assertThat(redis().enqueue(redis().task("a", o -> o.processIn(Duration.ofHours(1)))))
        .containsExactly(EnqueueReply.ID_CONFLICT);

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void e12_theLockOfAScheduledTaskLastsItsTimeBeyondTheTaskBeingDue() {
    NewTask first =
        redis().task("a", o -> o.processIn(Duration.ofHours(1)).uniqueFor(Duration.ofMinutes(10)));
    NewTask second = redis().task("b", o -> o.uniqueFor(Duration.ofMinutes(10)));

    assertThat(redis().enqueue(first)).containsExactly(EnqueueReply.ENQUEUED);
    assertThat(redis().enqueue(second)).containsExactly(EnqueueReply.duplicateOf("a"));

    assertThat(redis().world()).contains(LOCK + ": a for 4200s\n");
  }

  @Test
  default void e13_aUniqueScheduledTaskWithATakenIdLeavesNoLock() {
    redis().enqueue("a");

    NewTask same =
        redis().task("a", o -> o.processIn(Duration.ofHours(1)).uniqueFor(Duration.ofHours(1)));
    assertThat(redis().enqueue(same)).containsExactly(EnqueueReply.ID_CONFLICT);

    assertThat(redis().world()).doesNotContain("unique:");
  }

  @Test
  default void fixesQ03_aScheduledTaskOfAGroupKnowsItsGroupAndTheGroupIsListed() {
    redis().enqueue(redis().task("a", o -> o.group("g").processIn(Duration.ofHours(1))));

    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            groups: [g]
            scheduled: {a=4102491600}
            t:a: {group=g, msg=t(p) retry 0/25 timeout 1800 group g, state=scheduled}
            """);
  }

  @Test
  default void b06_noTasksMeanNoAnswersAndNoTraffic() {
    assertThat(redis().broker.enqueueing().enqueue(List.of())).isEmpty();
    assertThat(redis().world()).isEmpty();
  }

  @Test
  default void b07_fixesQ17_everyTaskOfAMixedBatchGetsItsOwnAnswer() {
    redis().enqueue("taken");
    NewTask elsewhere =
        NewTask.of(
            Task.of("t"), TaskOptions.of(o -> o.id("c").queue("low").header("k", "v")), NOON);

    assertThat(
            redis()
                .enqueue(
                    redis().task("a"),
                    redis().task("taken"),
                    redis().task("b", o -> o.processIn(Duration.ofHours(1))),
                    elsewhere,
                    redis().task("d", o -> o.group("g")),
                    redis().task("e", o -> o.uniqueFor(Duration.ofHours(1))),
                    redis().task("f", o -> o.uniqueFor(Duration.ofHours(1)))))
        .containsExactly(
            EnqueueReply.ENQUEUED,
            EnqueueReply.ID_CONFLICT,
            EnqueueReply.ENQUEUED,
            EnqueueReply.ENQUEUED,
            EnqueueReply.ENQUEUED,
            EnqueueReply.ENQUEUED,
            EnqueueReply.duplicateOf("e"));

    assertThat(redis().world())
        .contains(
            "asynq:queues: [low, q]\n",
            "asynq:{low}:pending: [c]\n",
            "headers {k=v}",
            "\npending: [e, a, taken]\n",
            "\nscheduled: {b=",
            "\ng:g: {d=");
  }

  @Test
  default void ofTasksWithoutLocksOnlyThoseWhoseIdsAreTakenAreRefused() {
    redis().enqueue("taken");

    assertThat(redis().enqueue(redis().task("a"), redis().task("taken"), redis().task("b")))
        .containsExactly(EnqueueReply.ENQUEUED, EnqueueReply.ID_CONFLICT, EnqueueReply.ENQUEUED);
    assertThat(redis().world()).contains("\npending: [b, a, taken]\n");
  }

  @Test
  default void ofTwoTasksWithTheSameIdInOneCallTheFirstIsEnqueued() {
    NewTask first = NewTask.of(Task.of("first"), TaskOptions.of(o -> o.id("a").queue("q")), NOON);
    NewTask second = NewTask.of(Task.of("second"), TaskOptions.of(o -> o.id("a").queue("q")), NOON);

    assertThat(redis().enqueue(first, redis().task("b"), second))
        .containsExactly(EnqueueReply.ENQUEUED, EnqueueReply.ENQUEUED, EnqueueReply.ID_CONFLICT);
    assertThat(redis().world()).contains("\npending: [b, a]\n", "first").doesNotContain("second");
  }

  @Test
  default void moreThanACallMayCarryGoInSeveralCallsAndKeepTheirOrder() {
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 0; i < 450; i++) {
      tasks.add(redis().task("id" + i));
    }

    assertThat(redis().broker.enqueueing().enqueue(tasks))
        .hasSize(450)
        .containsOnly(EnqueueReply.ENQUEUED);

    List<String> claimed = new ArrayList<>();
    while (claimed.size() < 450) {
      redis().claim(200).forEach(claim -> claimed.add(claim.id()));
    }
    assertThat(claimed).isEqualTo(tasks.stream().map(task -> task.message().id()).toList());
  }

  @Test
  default void fixesQ21_durationsBelowASecondAreRoundedUpAndNotLost() {
    redis()
        .enqueue(
            redis()
                .task("a", o -> o.timeout(Duration.ofMillis(500)).retention(Duration.ofMillis(1))));

    assertThat(redis().world()).contains("msg=t(p) retry 0/25 timeout 1 retention 1,");
  }

  @Test
  default void absentAndEmptyPayloadsHaveDifferentLocks() {
    NewTask absent =
        NewTask.of(
            Task.of("t"),
            TaskOptions.of(o -> o.id("a").queue("q").uniqueFor(Duration.ofHours(1))),
            NOON);
    NewTask empty =
        NewTask.of(
            Task.of("t", Payload.of(new byte[0])),
            TaskOptions.of(o -> o.id("b").queue("q").uniqueFor(Duration.ofHours(1))),
            NOON);

    assertThat(redis().enqueue(absent, empty))
        .containsExactly(EnqueueReply.ENQUEUED, EnqueueReply.ENQUEUED);

    assertThat(redis().world())
        .contains(
            "unique:t:: a for 3600s", "unique:t:d41d8cd98f00b204e9800998ecf8427e: b for 3600s");
  }

  @Test
  default void aQueueNameMayHoldAnything() {
    QueueName odd = QueueName.of("a}b:{x} é");
    NewTask task =
        NewTask.of(Task.of("t"), TaskOptions.of(o -> o.id("a").queue(odd.value())), NOON);
    assertThat(task.placement()).isEqualTo(new Placement.Pending());

    redis().enqueue(task);

    assertThat(
            redis()
                .source()
                .claim(
                    odd, 1, BrokerFixture.LEASE, io.asynq4j.internal.broker.rules.QueueRules.NONE)
                .claims())
        .hasSize(1);
    assertThat(redis().rawText(Command.HGET, RedisKeys.task(odd, "a"), "state"))
        .isEqualTo("active");
    assertThat(T).isEqualTo(NOON.getEpochSecond());
  }
}
