package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.broker.ArchiveRules;
import io.asynq4j.broker.Claim;
import io.asynq4j.broker.Inspection.Listing;
import io.asynq4j.broker.Inspection.QueueStats;
import io.asynq4j.broker.Presence;
import io.asynq4j.broker.QueueRules;
import io.asynq4j.broker.Settled;
import io.asynq4j.broker.Settlement;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.interop.Peer.GoTask;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What one side leaves in Redis, the other sees and operates on. */
class InspectingIT extends TwoSides {

  private static final String Q = QUEUE.value();
  private static final String GROUP = "together";

  @Test
  void goSeesWhatWeLeaveInEachState() {
    for (String state : List.of("active", "retry", "archived", "completed")) {
      GoTask task = Samples.kept(Q, state, state);
      weEnqueue(List.of(state.equals("active") ? Samples.withTimeout(task, 1500) : task));
      Claim claim = claim();
      if (state.equals("retry")) {
        settle(new Settlement.Retry(claim, HOUR.plusMillis(300), "broken", true, true));
      } else if (state.equals("archived")) {
        settle(new Settlement.Archive(claim, "für immer"));
      } else if (state.equals("completed")) {
        settle(new Settlement.Complete(claim, Payload.of(new byte[] {0, -1})));
      }
    }
    enqueueWaiting(true);

    assertBothSeeTheSame();
    assertThat(task("retry").retried()).isEqualTo(1);
    assertThat(task("retry").lastError()).isEqualTo("broken");
  }

  @Test
  void weSeeWhatGoLeavesInEachState() {
    try (Worker go = goWorker("-retry-delay", "1h")) {
      goEnqueues(
          List.of(
              Samples.withTimeout(Samples.kept(Q, "active", "sleep 600000ms"), 1_500_000),
              Samples.text(Q, "retry", "fail broken"),
              Samples.text(Q, "archived", "archive für immer"),
              Samples.kept(Q, "completed", "result \u0000ÿ")));
      go.await("started", "active");
      soon(() -> assertThat(stats().size(TaskState.ACTIVE)).isEqualTo(1));
      redis.broker().inspection().pause(QUEUE);
      enqueueWaiting(false);

      assertBothSeeTheSame();
      assertThat(task("completed").result().utf8()).isEqualTo("\u0000ÿ");
      assertThat(task("archived").lastError()).startsWith("für immer");
      go.kill();
    }
  }

  private void enqueueWaiting(boolean ours) {
    List<GoTask> tasks =
        List.of(
            Samples.withDeadline(
                Samples.text(Q, "pending", "x"), redis.clock().instant().plus(HOUR)),
            Samples.text(Q, "scheduled", "x", "", 7_200_000, 3_600_000, 0),
            Samples.text(Q, "aggregating", "x", GROUP, 0, 0, 0));
    if (ours) {
      weEnqueue(tasks);
    } else {
      goEnqueues(tasks);
    }
  }

  private void assertBothSeeTheSame() {
    for (TaskState state : TaskState.values()) {
      TaskInfo task = task(state.word());
      assertThat(task.state()).isEqualTo(state);
      assertThat(goSees(GoTaskInfo.class, "task", Q, task.id()))
          .containsExactly(GoTaskInfo.of(task));
      Listing all =
          state == TaskState.AGGREGATING
              ? Listing.ofGroup(GROUP, 0, 100)
              : Listing.of(state, 0, 100);
      assertThat(goSees(GoTaskInfo.class, "list", Q, state.word(), GROUP))
          .containsExactlyElementsOf(
              redis.broker().inspection().list(QUEUE, all).tasks().stream()
                  .map(GoTaskInfo::of)
                  .toList())
          .hasSize(1);
    }
    JsonNode go = goSees(JsonNode.class, "queue", Q).get(0);
    QueueStats ours = stats();
    assertThat(go.get("Pending").asLong()).isEqualTo(ours.size(TaskState.PENDING));
    assertThat(go.get("Active").asLong()).isEqualTo(ours.size(TaskState.ACTIVE));
    assertThat(go.get("Scheduled").asLong()).isEqualTo(ours.size(TaskState.SCHEDULED));
    assertThat(go.get("Retry").asLong()).isEqualTo(ours.size(TaskState.RETRY));
    assertThat(go.get("Archived").asLong()).isEqualTo(ours.size(TaskState.ARCHIVED));
    assertThat(go.get("Completed").asLong()).isEqualTo(ours.size(TaskState.COMPLETED));
    assertThat(go.get("Aggregating").asLong()).isEqualTo(ours.size(TaskState.AGGREGATING));
    assertThat(go.get("Groups").asLong()).isEqualTo(ours.groups());
    assertThat(go.get("Size").asLong()).isEqualTo(ours.size());
    assertThat(go.get("Processed").asLong()).isEqualTo(ours.processedToday()).isEqualTo(3);
    assertThat(go.get("Failed").asLong()).isEqualTo(ours.failedToday()).isEqualTo(2);
    assertThat(go.get("ProcessedTotal").asLong()).isEqualTo(ours.processed());
    assertThat(go.get("FailedTotal").asLong()).isEqualTo(ours.failed());
    assertThat(go.get("Paused").asBoolean()).isEqualTo(ours.paused());
  }

  private Claim claim() {
    return redis
        .broker()
        .source()
        .claim(QUEUE, 1, Duration.ofSeconds(60), QueueRules.NONE)
        .claims()
        .get(0);
  }

  private void settle(Settlement settlement) {
    assertThat(
            redis
                .broker()
                .source()
                .settle(QUEUE, List.of(settlement), QueueRules.NONE, ArchiveRules.DEFAULT))
        .containsExactly(Settled.DONE);
  }

  @Test
  void goOperatesOnOurTasks() {
    weEnqueue(List.of(Samples.text(Q, "moved", "x", "", 3_600_000, 3_600_500, 0)));

    goDoes("run", Q, "moved");
    assertThat(task("moved").state()).isEqualTo(TaskState.PENDING);
    goDoes("archive", Q, "moved");
    assertThat(task("moved").state()).isEqualTo(TaskState.ARCHIVED);
    goDoes("run", Q, "moved");
    assertThat(claim().id()).isEqualTo("moved");

    weEnqueue(List.of(Samples.text(Q, "deleted", "y", "", 3_600_000, 0, 0)));
    goDoes("delete", Q, "deleted");
    assertThat(stats().size()).isEqualTo(1);
  }

  @Test
  void aCancellationByGoReachesOurHandler() throws Exception {
    weEnqueue(List.of(Samples.text(Q, "long", "x")));
    BlockingQueue<Optional<CancelReason>> reasons = new LinkedBlockingQueue<>();
    AtomicInteger started = new AtomicInteger();
    try (TaskServer server =
        javaServer()
            .handlers(
                (task, context) -> {
                  started.incrementAndGet();
                  try {
                    TimeUnit.MINUTES.sleep(10);
                  } finally {
                    reasons.add(context.cancelled());
                  }
                  return Outcome.done();
                })
            .build()) {
      server.start();
      soon(() -> assertThat(started).hasValue(1));
      goDoes("cancel", "long");

      assertThat(reasons.poll(10, TimeUnit.SECONDS)).contains(CancelReason.REQUESTED);
      soon(() -> assertThat(task("long").state()).isEqualTo(TaskState.RETRY));
    }
    assertThat(task("long").lastError()).isEqualTo("context canceled");
  }

  @Test
  void ourCancellationReachesAGoHandler() {
    weEnqueue(List.of(Samples.text(Q, "long", "sleep 600000ms")));
    try (Worker go = goWorker("-retry-delay", "1h")) {
      go.await("started", "long");
      redis.broker().cancellations().publish("long");

      assertThat(go.await("finished", "long").error()).isEqualTo("context canceled");
      soon(() -> assertThat(task("long").state()).isEqualTo(TaskState.RETRY));
    }
  }

  @Test
  void ordersForOurServersDoNotDisturbAGoServer() {
    Inspector inspector = Inspector.create(redis);
    try (Worker go = goWorker("-retry-delay", "1h")) {
      weEnqueue(List.of(Samples.text(Q, "long", "sleep 600000ms")));
      go.await("started", "long");
      soon(() -> assertThat(inspector.servers()).hasSize(1));
      ServerSnapshot server = inspector.servers().get(0);
      assertThat(server.heartbeatAge()).isLessThan(Duration.ofSeconds(11));

      assertThat(inspector.quietServer(server.id())).isTrue();
      assertThat(inspector.stopServer(server.id())).isTrue();
      weEnqueue(List.of(Samples.text(Q, "next", "x")));
      go.await("finished", "next");
      inspector.cancel(Q, "long", AfterCancel.DELETE);

      assertThat(go.await("finished", "long").error()).isEqualTo("context canceled");
      soon(() -> assertThat(task("long").state()).isEqualTo(TaskState.RETRY));
    }
  }

  @Test
  void aPauseByGoStopsOurServerUntilGoResumes() {
    AtomicInteger handled = new AtomicInteger();
    try (TaskServer server =
        javaServer()
            .handlers(
                (task, context) -> {
                  handled.incrementAndGet();
                  return Outcome.done();
                })
            .build()) {
      server.start();
      weEnqueue(List.of(Samples.text(Q, "before", "x")));
      soon(() -> assertThat(handled).hasValue(1));

      goDoes("pause", Q);
      weEnqueue(List.of(Samples.text(Q, "while", "x")));
      assertNothingHappensFor(() -> assertThat(handled).hasValue(1));
      goDoes("unpause", Q);
      soon(() -> assertThat(handled).hasValue(2));
    }
  }

  @Test
  void ourPauseStopsAGoWorkerUntilWeResume() {
    try (Worker go = goWorker()) {
      weEnqueue(List.of(Samples.text(Q, "before", "x")));
      go.await("finished", "before");

      redis.broker().inspection().pause(QUEUE);
      weEnqueue(List.of(Samples.text(Q, "while", "x")));
      assertNothingHappensFor(() -> assertThat(go.events("started")).hasSize(1));
      redis.broker().inspection().resume(QUEUE);
      go.await("finished", "while");
    }
  }

  /**
   * Half a second, in which either side would look at the queue many times if it were not paused.
   */
  private static void assertNothingHappensFor(ThrowingRunnable assertion) {
    Awaitility.await()
        .during(Duration.ofMillis(500))
        .atMost(Duration.ofSeconds(5))
        .untilAsserted(assertion);
  }

  @Test
  void eachSeesTheOthersServersAndWhatTheyWorkOn() {
    weEnqueue(List.of(Samples.text(Q, "task-0", "sleep 3000ms")));
    try (TaskServer server =
        javaServer()
            .concurrency(3)
            .heartbeat(Duration.ofMillis(500))
            .handlers(new Obedient(event -> {}))
            .build()) {
      server.start();
      soon(
          () -> {
            JsonNode ours = goSees(JsonNode.class, "servers").get(0).path(0);
            assertThat(ours.path("ID").asString("")).isEqualTo(server.id());
            assertThat(ours.path("PID").asLong()).isEqualTo(ProcessHandle.current().pid());
            assertThat(ours.path("Concurrency").asInt()).isEqualTo(3);
            assertThat(ours.path("Queues").path(Q).asInt()).isEqualTo(1);
            assertThat(ours.path("Status").asString("")).isEqualTo("active");
            assertThat(ours.path("ActiveWorkers").path(0).path("TaskID").asString(""))
                .isEqualTo("task-0");
          });
    }
    try (Worker go = goWorker("-concurrency", "4")) {
      soon(
          () -> {
            List<Presence.Server> servers = redis.broker().presence().servers();
            assertThat(servers).hasSize(1);
            assertThat((long) servers.get(0).pid()).isEqualTo(go.pid());
            assertThat(servers.get(0).concurrency()).isEqualTo(4);
            assertThat(servers.get(0).queues()).containsOnlyKeys(Q);
          });
    }
  }

  @Test
  void goSeesTheEntriesOfOurSchedulers() {
    redis
        .broker()
        .presence()
        .showEntries(
            "scheduler",
            List.of(
                new Presence.SchedulerEntry(
                    "nightly",
                    "@every 1h",
                    "digest",
                    Payload.ofUtf8("x"),
                    List.of("Queue(\"low\")", "MaxRetry(3)", "Retention(1h0m0s)"),
                    redis.clock().instant().plus(HOUR),
                    null)),
            HOUR);

    JsonNode entry = goSees(JsonNode.class, "schedulers").get(0);
    assertThat(entry.get("id").asString()).isEqualTo("nightly");
    assertThat(entry.get("spec").asString()).isEqualTo("@every 1h");
    assertThat(entry.get("type").asString()).isEqualTo("digest");
    assertThat(entry.get("previous").asLong()).isZero();
    assertThat(entry.get("options").valueStream().map(JsonNode::asString))
        .containsExactly("Queue(\"low\")", "MaxRetry(3)", "Retention(1h0m0s)");
  }
}
