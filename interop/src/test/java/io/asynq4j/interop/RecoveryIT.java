package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.Progress;
import io.asynq4j.TaskState;
import io.asynq4j.broker.ArchiveRules;
import io.asynq4j.broker.Claim;
import io.asynq4j.broker.CrashRules;
import io.asynq4j.broker.QueueRules;
import io.asynq4j.broker.Settled;
import io.asynq4j.broker.Settlement;
import io.asynq4j.handler.Outcome;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** Tasks of workers that vanish or stall, with a worker of the other language to take over. */
class RecoveryIT extends TwoSides {

  private static final String ID = "held";

  @Test
  void weRecoverATaskOfAGoWorkerThatWasKilled() {
    weEnqueue(List.of(Samples.kept(QUEUE.value(), ID, "sleep 600000ms")));
    try (Worker go = goWorker()) {
      go.await("started", ID);
      go.kill();
    }
    assertThat(task(ID).state()).isEqualTo(TaskState.ACTIVE);

    // Its lease is over, but a Go worker may have a slow clock: it is given 30 seconds more.
    try (Jedis jedis = jedis()) {
      jedis.zadd(key("lease"), (double) redis.clock().instant().getEpochSecond() - 5, ID);
    }
    assertThat(
            redis
                .broker()
                .upkeep()
                .recover(QUEUE, 50, CrashRules.DEFAULT, QueueRules.NONE, ArchiveRules.DEFAULT))
        .isEmpty();

    ageLease(ID);
    try (TaskServer server =
        javaServer().handlers((task, context) -> Outcome.done(Payload.ofUtf8("ours"))).build()) {
      server.start();
      soon(() -> assertThat(task(ID).state()).isEqualTo(TaskState.COMPLETED));
    }
    assertThat(task(ID).result().utf8()).isEqualTo("ours");
    assertThat(task(ID).retried()).isZero();
    assertNothingIsActive();
  }

  @Test
  void goRecoversATaskOfAWorkerOfOursThatWasKilled() {
    weEnqueue(List.of(Samples.kept(QUEUE.value(), ID, "sleep 200ms")));
    try (Worker ours = javaWorker()) {
      ours.await("started", ID);
      ours.kill();
    }
    assertThat(task(ID).state()).isEqualTo(TaskState.ACTIVE);

    // Go looks for such tasks when it starts, and then once a minute.
    ageLease(ID);
    try (Worker go = goWorker()) {
      assertThat(go.await("started", ID).retried()).isEqualTo(1);
      soon(() -> assertThat(task(ID).state()).isEqualTo(TaskState.COMPLETED));
    }
    assertThat(task(ID).lastError()).isEqualTo("asynq: task lease expired");
    assertNothingIsActive();
  }

  @Test
  void aStalledWorkerOfOursThatWakesUpLateCannotDisturbTheGoWorkerThatTookOver() {
    weEnqueue(List.of(Samples.kept(QUEUE.value(), ID, "sleep 2500ms")));
    try (Worker ours = javaWorker()) {
      ours.await("started", ID);
      ours.stall();
      ageLease(ID);
      try (Worker go = goWorker()) {
        go.await("started", ID);
        ours.wakeUp();

        ours.await("lost", ID);
        assertThat(task(ID).state()).isEqualTo(TaskState.ACTIVE);
        assertThat(go.events("finished")).isEmpty();
        go.await("finished", ID);
        soon(() -> assertThat(task(ID).state()).isEqualTo(TaskState.COMPLETED));
        assertThat(go.events("started")).hasSize(1);
      }
      assertThat(ours.events("settled")).isEmpty();
    }
    assertThat(stats().processed()).as("the recovery, and the run").isEqualTo(2);
    assertNothingIsActive();
  }

  @Test
  void nothingThatALateWorkerOfOursTriesHasAnEffectOnTheRunOfAGoWorker() {
    weEnqueue(List.of(Samples.kept(QUEUE.value(), ID, "sleep 1000ms")));
    Claim claim =
        redis
            .broker()
            .source()
            .claim(QUEUE, 1, Duration.ofSeconds(15), QueueRules.NONE)
            .claims()
            .get(0);
    ageLease(ID);
    try (Worker go = goWorker()) {
      go.await("started", ID);

      List<Settlement> endings =
          List.of(
              new Settlement.Complete(claim, Payload.ofUtf8("late")),
              new Settlement.Retry(claim, Duration.ZERO, "late", true, false),
              new Settlement.Archive(claim, "late"),
              new Settlement.Reschedule(claim, Duration.ZERO, false),
              new Settlement.Requeue(claim),
              new Settlement.Drop(claim));
      for (Settlement ending : endings) {
        assertThat(
                redis
                    .broker()
                    .source()
                    .settle(QUEUE, List.of(ending), QueueRules.NONE, ArchiveRules.DEFAULT))
            .as("%s", ending.getClass().getSimpleName())
            .containsExactly(Settled.LEASE_LOST);
      }
      assertThat(redis.broker().source().extend(QUEUE, List.of(claim), Duration.ofSeconds(15)))
          .containsOnlyNulls();
      assertThat(redis.broker().source().writeResult(claim, Payload.ofUtf8("late"))).isFalse();
      assertThat(redis.broker().source().writeProgress(claim, new Progress(50, "late"))).isFalse();

      assertThat(go.events("finished")).as("all of this while it runs").isEmpty();
      assertThat(go.await("finished", ID).error()).isNull();
      soon(() -> assertThat(task(ID).state()).isEqualTo(TaskState.COMPLETED));
    }
    assertThat(task(ID).result().size()).isZero();
    assertThat(task(ID).retried()).isEqualTo(1);
    assertNothingIsActive();
  }
}
