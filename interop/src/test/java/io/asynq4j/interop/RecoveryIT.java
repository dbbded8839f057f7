package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.TaskState;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.interop.peer.GoPeer;
import io.asynq4j.interop.peer.GoPrograms;
import io.asynq4j.interop.peer.GoTaskInfo;
import io.asynq4j.interop.peer.WorkerProcess;
import io.asynq4j.server.ServerListener;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** Tasks of workers that vanish or stall, with a worker of the other language to take over. */
@ForEachSetup
class RecoveryIT extends InteropTestBase {

  private static final QueueName NAME = QueueName.of(Q);
  private static final String ID = "held";
  private static final Duration BEHIND = Duration.ofSeconds(40);

  @Test
  void weRecoverATaskOfAGoWorkerThatWasKilled() {
    weEnqueue(SampleTasks.kept(ID, "sleep 600000ms"));
    try (WorkerProcess go = goWorker()) {
      go.await("started", ID);
      assertThat(leaseLeft()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(31));
      go.kill();
    }
    assertThat(task(ID).state()).isEqualTo(TaskState.ACTIVE);

    // Its lease is over, but a Go worker may have a slow clock: it is given 30 seconds more.
    try (Jedis jedis = jedis()) {
      jedis.zadd(key("lease"), (double) redis.clock().instant().getEpochSecond() - 5, ID);
    }
    assertThat(
            BrokerConnection.brokerOf(redis)
                .upkeep()
                .recover(NAME, 50, CrashRules.DEFAULT, QueueRules.NONE, ArchiveRules.DEFAULT))
        .isEmpty();

    ageLease(ID);
    try (TaskServer server =
        javaServer().handlers((task, context) -> Outcome.done(Payload.ofUtf8("ours"))).build()) {
      server.start();
      soon(() -> assertThat(task(ID).state()).isEqualTo(TaskState.COMPLETED));
    }
    assertThat(task(ID).result().utf8()).isEqualTo("ours");
    assertThat(task(ID).retried()).isZero();
    assertThat(stats().failed()).isZero();
    assertNothingIsActive();
  }

  @Test
  void goRecoversATaskOfAWorkerOfOursThatWasKilled() {
    weEnqueue(SampleTasks.kept(ID, "sleep-first 600000ms"));
    try (WorkerProcess ours = javaWorker()) {
      ours.await("started", ID);
      assertThat(leaseLeft()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(16));
      ours.kill();
    }
    assertThat(task(ID).state()).isEqualTo(TaskState.ACTIVE);

    assertBothReportThatItsWorkerIsGone(false);
    ageLease(ID);
    assertBothReportThatItsWorkerIsGone(true);
    // Go looks for such tasks when it starts, and then once a minute.
    try (WorkerProcess go = goWorker()) {
      assertThat(go.await("started", ID).retried()).isEqualTo(1);
      soon(() -> assertThat(task(ID).state()).isEqualTo(TaskState.COMPLETED));
    }
    assertThat(task(ID).lastError()).isEqualTo("asynq: task lease expired");
    assertThat(stats().failed()).as("the recovery").isEqualTo(1);
    assertThat(stats().processed()).as("the recovery, and the run").isEqualTo(2);
    assertNothingIsActive();
  }

  /** Go does not report this for a single task. */
  private void assertBothReportThatItsWorkerIsGone(boolean gone) {
    List<GoTaskInfo> ours = listed(Q, TaskState.ACTIVE).stream().map(GoTaskInfo::of).toList();
    assertThat(ours).extracting(GoTaskInfo::orphaned).containsExactly(gone);
    assertThat(goSees(GoTaskInfo.class, "list", Q, "active")).isEqualTo(ours);
  }

  @Test
  void aStalledWorkerOfOursThatWakesUpLateCannotDisturbTheGoWorkerThatTookOver() {
    weEnqueue(SampleTasks.kept(ID, "sleep 6000ms"));
    try (WorkerProcess ours = javaWorker()) {
      ours.await("started", ID);
      ours.stall();
      ageLease(ID);
      try (WorkerProcess go = goWorker()) {
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
  void aLateJavaWorkerCannotAffectTheAttemptOfAGoWorker() {
    weEnqueue(SampleTasks.kept(ID, "sleep 2000ms"));
    Claim claim =
        BrokerConnection.brokerOf(redis)
            .leases()
            .claim(NAME, 1, Duration.ofSeconds(15), QueueRules.NONE)
            .claims()
            .get(0);
    ageLease(ID);
    try (WorkerProcess go = goWorker()) {
      go.await("started", ID);
      // It must not finish before the assertions, however slow this machine is.
      go.stall();

      List<Settlement> settlements =
          List.of(
              new Settlement.Complete(claim, Payload.ofUtf8("late")),
              new Settlement.Retry(claim, Duration.ZERO, "late", true, false),
              new Settlement.Archive(claim, "late"),
              new Settlement.Reschedule(claim, Duration.ZERO, false),
              new Settlement.Requeue(claim),
              new Settlement.Drop(claim));
      for (Settlement settlement : settlements) {
        assertThat(
                BrokerConnection.brokerOf(redis)
                    .leases()
                    .settle(NAME, List.of(settlement), QueueRules.NONE, ArchiveRules.DEFAULT))
            .as("%s", settlement.getClass().getSimpleName())
            .containsExactly(SettleResult.LEASE_LOST);
      }
      assertThat(
              BrokerConnection.brokerOf(redis)
                  .leases()
                  .extend(NAME, List.of(claim), Duration.ofSeconds(15)))
          .containsOnlyNulls();
      assertThat(
              BrokerConnection.brokerOf(redis).leases().writeResult(claim, Payload.ofUtf8("late")))
          .isFalse();
      assertThat(
              BrokerConnection.brokerOf(redis)
                  .leases()
                  .writeProgress(claim, new Progress(50, "late")))
          .isFalse();

      assertThat(go.events("finished")).as("all of this while it runs").isEmpty();
      go.wakeUp();
      assertThat(go.await("finished", ID).error()).isNull();
      soon(() -> assertThat(task(ID).state()).isEqualTo(TaskState.COMPLETED));
    }
    assertThat(task(ID).result().size()).isZero();
    assertThat(task(ID).retried()).isEqualTo(1);
    assertNothingIsActive();
  }

  @Test
  void aStalledGoWorkerMaySettleATaskThatWeRunAndOursStops() throws Exception {
    weEnqueue(SampleTasks.kept(ID, "sleep 3000ms"));
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    List<String> lost = new CopyOnWriteArrayList<>();
    try (WorkerProcess go = goWorker()) {
      go.await("started", ID);
      go.stall();
      ageLease(ID);
      try (TaskServer server =
          javaServer()
              .timing(timing -> timing.heartbeat(Duration.ofMillis(500)))
              .handlers(
                  (task, context) -> {
                    started.countDown();
                    try {
                      // Longer than the test, because it is interrupted.
                      TimeUnit.MINUTES.sleep(10);
                    } finally {
                      stopped.countDown();
                    }
                    return Outcome.done(Payload.ofUtf8("ours"));
                  })
              .listener(
                  new ServerListener() {
                    @Override
                    public void leaseLost(TaskRef task) {
                      lost.add(task.id());
                    }
                  })
              .build()) {
        server.start();
        assertThat(started.await(20, TimeUnit.SECONDS)).isTrue();
        go.wakeUp();
        go.await("finished", ID);

        assertThat(stopped.await(20, TimeUnit.SECONDS)).isTrue();
        soon(() -> assertThat(lost).containsExactly(ID));
      }
    }
    soon(() -> assertThat(task(ID).state()).isEqualTo(TaskState.COMPLETED));
    assertThat(task(ID).result().size()).isZero();
    assertThat(stats().processed()).isEqualTo(1);
    assertNothingIsActive();
  }

  /** How long the lease still lasts by the clock of Redis. */
  private Duration leaseLeft() {
    try (Jedis jedis = jedis()) {
      double end = jedis.zscore(key("lease"), ID);
      return Duration.between(redis.clock().instant(), Instant.ofEpochMilli((long) (end * 1000)));
    }
  }

  /** In the long form a real one; here its lease is written as such a host would. */
  @Test
  void theLeaseOfAGoHostWhoseClockIsBehindIsKept() {
    weEnqueue(SampleTasks.kept(ID, "sleep 3000ms"));
    List<String> recovered = new CopyOnWriteArrayList<>();
    try (WorkerProcess go = goWorker()) {
      go.await("started", ID);
      try (Jedis jedis = jedis()) {
        jedis.zincrby(key("lease"), (double) -BEHIND.toSeconds(), ID);
        assertThat(task(ID).orphaned()).as("its lease is over by the clock of Redis").isTrue();
      }
      runServerUntilGoHasFinished(recovered);
      assertThat(go.events("started")).hasSize(1);
    }
    assertThat(recovered).isEmpty();
  }

  @Test
  void aGoHostWhoseClockIs40SecondsBehindKeepsItsTasks() {
    Assumptions.assumeTrue(InteropSetup.FULL, "a Go host whose clock is behind: in ./check --full");
    GoPeer slow = new GoPeer(GoPrograms.peerWithSlowClock(setting.go(), BEHIND), store.uri());
    // Long enough for a lease of 30 seconds to end, twice.
    weEnqueue(SampleTasks.kept(ID, "sleep 65000ms"));
    List<String> recovered = new CopyOnWriteArrayList<>();
    try (WorkerProcess go = slow.work(Q)) {
      go.await("started", ID);
      assertThat(task(ID).orphaned()).as("its lease is over by the clock of Redis").isTrue();
      runServerUntilGoHasFinished(recovered);
      assertThat(go.events("started")).hasSize(1);
      assertThat(go.events("finished")).extracting(WorkerProcess.Event::error).containsOnlyNulls();
    }
    assertThat(recovered).isEmpty();
  }

  private void runServerUntilGoHasFinished(List<String> recovered) {
    try (TaskServer server =
        javaServer()
            .handlers((task, context) -> Outcome.retry("this is Go's"))
            .listener(
                new ServerListener() {
                  @Override
                  public void recovered(QueueName queue, String taskId, String action) {
                    recovered.add(taskId);
                  }
                })
            .build()) {
      server.start();
      Awaitility.await()
          .atMost(Duration.ofSeconds(90))
          .until(() -> task(ID).state() == TaskState.COMPLETED);
    }
    assertThat(task(ID).retried()).isZero();
    assertThat(stats().processed()).isEqualTo(1);
    assertNothingIsActive();
  }
}
