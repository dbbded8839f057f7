package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.RateLimit;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.DayCount;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.inspect.QueueLimits;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.inspect.ServerSnapshot.WorkerSnapshot;
import io.asynq4j.inspect.TaskPage;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.Upkeep;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.interop.peer.GoTask;
import io.asynq4j.interop.peer.GoTaskInfo;
import io.asynq4j.interop.peer.PayloadDrivenHandler;
import io.asynq4j.interop.peer.WorkerProcess;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import tools.jackson.databind.JsonNode;

/** Both inspectors show the data of either side in the same way. */
@ForEachSetup
class InspectionIT extends InteropTestBase {

  /** Of day before yesterday, so that there is a history. */
  private static final Map<String, String> COUNTED = Map.of("processed:", "12", "failed:", "5");

  /** Of the server that has nothing to do. */
  private static final Map<String, Integer> WEIGHTS = Map.of("first", 3, "second", 1);

  private static final QueueName NAME = QueueName.of(Q);
  private static final QueueRules RULES = QueueRules.NONE;
  private static final String OTHER_GROUP = "apart";

  @Test
  void bothReadEqualValuesFromDataOfJava() {
    leaveInEachState(Side.JAVA, List.of("one", "two"), Q);
    try (TaskServer server =
            javaServer()
                .concurrency(3)
                .timing(timing -> timing.heartbeat(Duration.ofMillis(500)))
                .shutdownTimeout(Duration.ofMillis(100))
                .handlers(new PayloadDrivenHandler(event -> {}))
                .build();
        TaskServer strict =
            TaskServer.builder(redis)
                .queue("first", 3)
                .queue("second", 1)
                .queues(queues -> queues.strictPriority())
                .timing(timing -> timing.heartbeat(Duration.ofMillis(500)))
                .concurrency(7)
                .handlers(new PayloadDrivenHandler(event -> {}))
                .build()) {
      server.start();
      strict.start();
      haveActiveTask(Side.JAVA);
      soon(this::assertBothSeeTheSame);
      assertThat(inspector.servers())
          .extracting(ServerSnapshot::id)
          .containsExactlyInAnyOrder(server.id(), strict.id());
    }
  }

  @Test
  void bothReadEqualValuesFromDataOfGo() {
    leaveInEachState(Side.GO, List.of("one", "two"), Q);
    try (WorkerProcess go = goWorker("-concurrency", "3", "-retry-delay", "1h");
        WorkerProcess strict = peer.work("first=3,second=1", "-strict", "-concurrency", "7")) {
      haveActiveTask(Side.GO);
      soon(this::assertBothSeeTheSame);
      assertThat(inspector.servers())
          .extracting(server -> (long) server.pid())
          .containsExactlyInAnyOrder(go.pid(), strict.pid());
      go.kill();
    }
  }

  /** One that is being worked on, behind those that were pending, and then two that wait again. */
  private void haveActiveTask(Side side) {
    soon(() -> assertThat(stats().size(TaskState.PENDING)).isZero());
    GoTask running = GoTask.of("running", "sleep 600000ms").timeout(Duration.ofMinutes(20)).build();
    enqueue(side, List.of(running));
    soon(() -> assertThat(stats().size(TaskState.ACTIVE)).isEqualTo(1));
    if (side == Side.GO) {
      goDoes("pause", Q);
    } else {
      inspector.queue(Q).pause();
    }
    enqueue(
        side,
        List.of(
            SampleTasks.text("waits", "x"),
            GoTask.of("alone", "x").group(OTHER_GROUP).build(),
            GoTask.of("waits too", "x").deadline(Instant.now().plus(HOUR)).build()));
    try (Jedis jedis = jedis()) {
      String day = inspector.queue(Q).history(3).get(2).date().toString();
      COUNTED.forEach((counter, count) -> jedis.set(key(counter + day), count));
    }
  }

  private void assertBothSeeTheSame() {
    assertThat(goSees(JsonNode.class, "queues").get(0).valueStream().map(JsonNode::asString))
        .containsExactlyInAnyOrderElementsOf(inspector.queues());
    for (TaskState state : TaskState.values()) {
      List<GoTaskInfo> ours = listed(Q, state).stream().map(GoTaskInfo::of).toList();
      assertThat(ours).hasSize(state == TaskState.ACTIVE ? 1 : 2);
      assertThat(goSees(GoTaskInfo.class, "list", Q, state.word(), GROUP)).isEqualTo(ours);
      assertThat(goSees(GoTaskInfo.class, "list", Q, state.word(), GROUP, "1", "2"))
          .isEqualTo(ours.subList(1, ours.size()))
          .isEqualTo(secondPage(state));
      for (GoTaskInfo task : ours) {
        assertThat(GoTaskInfo.of(task(task.id()))).isEqualTo(task);
        assertThat(goSeesTask(Q, task.id())).isEqualTo(task);
      }
    }
    assertThat(goSees(GoTaskInfo.class, "list", Q, "aggregating", OTHER_GROUP))
        .containsExactly(GoTaskInfo.of(task("alone")));
    assertBothCountTheSame();
    assertThat(stats().processedToday()).isEqualTo(8);
    assertThat(stats().failedToday()).isEqualTo(4);
    assertThat(stats().processed()).isEqualTo(8);
    assertThat(stats().failed()).isEqualTo(4);
    assertThat(stats().paused()).isTrue();
    assertThat(inspector.queue(Q).history(90).get(2).processed()).isEqualTo(12);
    assertThat(inspector.queue(Q).groups()).isEqualTo(Map.of(GROUP, 2L, OTHER_GROUP, 1L));
    assertBothSeeTheSameServers();
  }

  private List<GoTaskInfo> secondPage(TaskState state) {
    PageRequest page = PageRequest.at(1, 1).oldestFirst();
    TaskPage second =
        state == TaskState.AGGREGATING
            ? inspector.queue(Q).groupTasks(GROUP, page)
            : inspector.queue(Q).tasks(state, page);
    return second.tasks().stream().map(GoTaskInfo::of).toList();
  }

  private void assertBothCountTheSame() {
    JsonNode go = goSees(JsonNode.class, "queue", Q).get(0);
    QueueSnapshot ours = stats();
    for (TaskState state : TaskState.values()) {
      String name =
          state.word().substring(0, 1).toUpperCase(Locale.ROOT) + state.word().substring(1);
      assertThat(go.get(name).asLong()).as(name).isEqualTo(ours.size(state));
    }
    assertThat(go.get("Groups").asLong()).isEqualTo(ours.groups());
    assertThat(go.get("Size").asLong()).isEqualTo(ours.size());
    assertThat(go.get("Processed").asLong()).isEqualTo(ours.processedToday());
    assertThat(go.get("Failed").asLong()).isEqualTo(ours.failedToday());
    assertThat(go.get("ProcessedTotal").asLong()).isEqualTo(ours.processed());
    assertThat(go.get("FailedTotal").asLong()).isEqualTo(ours.failed());
    assertThat(go.get("Paused").asBoolean()).isEqualTo(ours.paused());
    assertThat(go.get("Latency").asDouble() / 1e9)
        .isCloseTo(ours.latency().toMillis() / 1e3, Offset.offset(2.0));
    // Both estimate it from a few tasks, but not from the same ones.
    assertThat((double) inspector.queue(Q).memoryUsage().orElseThrow())
        .isBetween(go.get("MemoryUsage").asDouble() / 2, go.get("MemoryUsage").asDouble() * 2);

    List<String> days = new ArrayList<>();
    goSees(JsonNode.class, "history", Q)
        .get(0)
        .forEach(
            day ->
                days.add(
                    day.get("Date").asString().substring(0, 10)
                        + " "
                        + day.get("Processed").asLong()
                        + " "
                        + day.get("Failed").asLong()));
    List<DayCount> history = inspector.queue(Q).history(90);
    assertThat(history.stream().map(day -> day.date() + " " + day.processed() + " " + day.failed()))
        .containsExactlyElementsOf(days);

    Map<String, Long> groups = new HashMap<>();
    goSees(JsonNode.class, "groups", Q)
        .get(0)
        .forEach(group -> groups.put(group.get("Group").asString(), group.get("Size").asLong()));
    assertThat(inspector.queue(Q).groups()).isEqualTo(groups);
  }

  /** Values of a server that both sides show; times in seconds. */
  private record Shown(
      String id,
      String host,
      int pid,
      int concurrency,
      Map<String, Integer> queues,
      boolean strict,
      String status,
      long started,
      List<List<Object>> workers) {

    static Shown of(ServerSnapshot ours) {
      return new Shown(
          ours.id(),
          ours.host(),
          ours.pid(),
          ours.concurrency(),
          ours.queues(),
          ours.strictPriority(),
          ours.status(),
          seconds(ours.started()),
          ours.workers().stream().map(Shown::worker).toList());
    }

    private static List<Object> worker(WorkerSnapshot worker) {
      return List.of(
          worker.taskId(),
          worker.taskType(),
          Base64.getEncoder().encodeToString(worker.taskPayload().bytes()),
          worker.queue(),
          seconds(worker.started()),
          seconds(worker.deadline()));
    }

    static Shown of(JsonNode go) {
      Map<String, Integer> queues = new HashMap<>();
      go.get("Queues").forEachEntry((queue, weight) -> queues.put(queue, weight.asInt()));
      List<List<Object>> workers = new ArrayList<>();
      go.get("ActiveWorkers")
          .forEach(
              worker ->
                  workers.add(
                      List.of(
                          worker.get("TaskID").asString(),
                          worker.get("TaskType").asString(),
                          worker.get("TaskPayload").asString(),
                          worker.get("Queue").asString(),
                          seconds(worker.get("Started")),
                          seconds(worker.get("Deadline")))));
      return new Shown(
          go.get("ID").asString(),
          go.get("Host").asString(),
          go.get("PID").asInt(),
          go.get("Concurrency").asInt(),
          queues,
          go.get("StrictPriority").asBoolean(),
          go.get("Status").asString(),
          seconds(go.get("Started")),
          workers);
    }

    private static long seconds(JsonNode time) {
      return OffsetDateTime.parse(time.asString()).toEpochSecond();
    }

    private static long seconds(@Nullable Instant time) {
      return Objects.requireNonNull(time).getEpochSecond();
    }
  }

  private void assertBothSeeTheSameServers() {
    List<Shown> go =
        goSees(JsonNode.class, "servers")
            .get(0)
            .valueStream()
            .map(Shown::of)
            .sorted(Comparator.comparing(Shown::concurrency))
            .toList();
    assertThat(go).extracting(Shown::concurrency).containsExactly(3, 7);
    assertThat(go).extracting(Shown::strict).containsExactly(false, true);
    assertThat(go).extracting(Shown::queues).containsExactly(Map.of(Q, 1), WEIGHTS);
    assertThat(go).extracting(server -> server.workers.size()).containsExactly(1, 0);
    assertThat(inspector.servers().stream().map(Shown::of)).containsExactlyInAnyOrderElementsOf(go);
  }

  /** Beside what Go knows of, which it reads and shows. */
  @Test
  void goReadsEqualValuesFromDataThatOnlyJavaWrites() {
    inspector
        .queue(Q)
        .setLimits(
            QueueLimits.NONE.withMaxActive(9).withRate(RateLimit.of(50, Duration.ofSeconds(1))));
    Map<String, String> headers = Map.of("trace", "00-1", "leer", "", "Ünï", "日本");
    archiveAnUnreadableTask();
    archiveATaskThatCrashes();
    retryWithATrace();
    runWithProgress(GoTask.of("active", "x").headers(headers).build());
    weEnqueue(
        GoTask.of("headed", "x").headers(headers).build(),
        GoTask.of("headed, later", "x").headers(headers).processIn(HOUR).build(),
        GoTask.of("headed, in a group", "x").headers(headers).group(GROUP).build());
    client.enqueue(
        Task.of("kind"),
        o -> o.queue(Q).id("precise").processIn(Duration.ofMillis(3_600_300)).precise());
    assertThat(task("precise").nextProcessAt()).isNotNull();

    Map<TaskState, List<String>> expected =
        Map.of(
            TaskState.PENDING, List.of("headed"),
            TaskState.ACTIVE, List.of("active"),
            TaskState.SCHEDULED, List.of("headed, later", "precise"),
            TaskState.RETRY, List.of("traced"),
            TaskState.ARCHIVED, List.of("crashed"),
            TaskState.COMPLETED, List.of(),
            TaskState.AGGREGATING, List.of("headed, in a group"));
    for (TaskState state : TaskState.values()) {
      PageRequest all = PageRequest.first(100).oldestFirst();
      TaskPage page =
          state == TaskState.AGGREGATING
              ? inspector.queue(Q).groupTasks(GROUP, all)
              : inspector.queue(Q).tasks(state, all);
      assertThat(page.unreadable())
          .isEqualTo(state == TaskState.ARCHIVED ? List.of("unreadable") : List.of());
      List<GoTaskInfo> ours =
          page.tasks().stream().map(one -> GoTaskInfo.of(one, setting.go())).toList();
      assertThat(ours)
          .extracting(GoTaskInfo::id)
          .containsExactlyInAnyOrderElementsOf(expected.get(state));
      assertThat(goSees(GoTaskInfo.class, "list", Q, state.word(), GROUP)).isEqualTo(ours);
      ours.forEach(task -> assertThat(goSeesTask(Q, task.id())).isEqualTo(task));
    }
    assertBothCountTheSame();
    assertGoSeesATaskThatBlocksAnOrderedQueue();
    assertThat(stats().size(TaskState.ARCHIVED)).isEqualTo(2);
    goDoes("delete", Q, "unreadable");
    goDoes("delete-all", Q, "scheduled");
    assertThat(stats().size(TaskState.ARCHIVED)).isEqualTo(1);
    assertThat(stats().size(TaskState.SCHEDULED)).isZero();
  }

  /** It has failed, and is pending all the same. */
  private void assertGoSeesATaskThatBlocksAnOrderedQueue() {
    inspector.queue("line").setLimits(QueueLimits.NONE.withOrdered(true));
    weEnqueue(
        GoTask.of("holds", "x").queue("line").build(),
        GoTask.of("waits", "x").queue("line").build());
    retry(QueueName.of("line"));

    List<GoTaskInfo> ours = listed("line", TaskState.PENDING).stream().map(GoTaskInfo::of).toList();
    assertThat(ours).extracting(GoTaskInfo::retried).containsExactly(1, 0);
    assertThat(goSees(GoTaskInfo.class, "list", "line", "pending")).isEqualTo(ours);
    assertThat(goSees(JsonNode.class, "queue", "line").get(0).get("Pending").asLong()).isEqualTo(2);
  }

  private Claim claim(QueueName queue) {
    return BrokerConnection.brokerOf(redis)
        .leases()
        .claim(queue, 1, Duration.ofSeconds(15), RULES)
        .claims()
        .get(0);
  }

  private void retry(QueueName queue) {
    Settlement failed =
        new Settlement.Retry(claim(queue), HOUR, "größe", true, false, "at a.b.C(C.java:1)");
    assertThat(
            BrokerConnection.brokerOf(redis)
                .leases()
                .settle(queue, List.of(failed), RULES, ArchiveRules.DEFAULT))
        .containsExactly(SettleResult.APPLIED);
  }

  private void archiveAnUnreadableTask() {
    weEnqueue(SampleTasks.text("unreadable", "x"));
    try (Jedis jedis = jedis()) {
      jedis.hset(key("t:unreadable"), "msg", "\u0007no message");
    }
    assertThat(
            BrokerConnection.brokerOf(redis)
                .leases()
                .claim(NAME, 1, Duration.ofSeconds(15), RULES)
                .claims())
        .isEmpty();
    try (Jedis jedis = jedis()) {
      assertThat(jedis.zscore(key("archived"), "unreadable")).isNotNull();
    }
  }

  private void archiveATaskThatCrashes() {
    weEnqueue(SampleTasks.text("crashed", "x"));
    claim(NAME);
    ageLease("crashed");
    CrashRules once = new CrashRules(1, Duration.ZERO, Duration.ZERO);
    assertThat(
            BrokerConnection.brokerOf(redis)
                .upkeep()
                .recover(NAME, 50, once, RULES, ArchiveRules.DEFAULT))
        .containsExactly(new Upkeep.Recovered("crashed", CrashRules.Recovery.ARCHIVE));
    assertThat(task("crashed").lastError()).isNotEmpty();
  }

  private void retryWithATrace() {
    weEnqueue(SampleTasks.text("traced", "x"));
    retry(NAME);
    assertThat(inspector.queue(Q).failures("traced")).hasSize(1);
  }

  private void runWithProgress(GoTask task) {
    weEnqueue(task);
    Claim claim = claim(NAME);
    assertThat(
            BrokerConnection.brokerOf(redis)
                .leases()
                .writeProgress(claim, new Progress(50, "half")))
        .isTrue();
    assertThat(
            BrokerConnection.brokerOf(redis)
                .leases()
                .writeResult(claim, Payload.of(new byte[] {0, -1})))
        .isTrue();
    assertThat(task(task.id()).progress()).isEqualTo(new Progress(50, "half"));
  }

  @Test
  void bothKnowWhereInAClusterAQueueIs() {
    weEnqueue(SampleTasks.text("one", "x"));
    if (setting.store() == TestRedis.Kind.STANDALONE) {
      assertThat(inspector.queue(Q).nodes()).isEmpty();
      return;
    }
    assertThat(goSees(Long.class, "slot", Q)).containsExactly((long) inspector.queue(Q).slot());
    List<String> nodes =
        goSees(JsonNode.class, "nodes", Q)
            .get(0)
            .valueStream()
            .map(node -> node.get("Addr").asString())
            .sorted(Comparator.naturalOrder())
            .toList();
    assertThat(inspector.queue(Q).nodes()).containsExactlyElementsOf(nodes);
  }

  @Test
  void controlMessagesForJavaServersDoNotAffectAGoServer() {
    try (WorkerProcess go = goWorker("-retry-delay", "1h")) {
      weEnqueue(SampleTasks.text("long", "sleep 600000ms"));
      go.await("started", "long");
      soon(() -> assertThat(inspector.servers()).hasSize(1));
      ServerSnapshot server = inspector.servers().get(0);
      assertThat(server.heartbeatAge()).isLessThan(Duration.ofSeconds(11));

      assertThat(inspector.quietServer(server.id())).isTrue();
      assertThat(inspector.stopServer(server.id())).isTrue();
      weEnqueue(SampleTasks.text("next", "x"));
      go.await("finished", "next");
      inspector.queue(Q).cancel("long", AfterCancel.DELETE);

      assertThat(go.await("finished", "long").error()).isEqualTo("context canceled");
      soon(() -> assertThat(task("long").state()).isEqualTo(TaskState.RETRY));
    }
  }
}
