package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.AfterCancel;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.DayCount;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.inspect.WorkerSnapshot;
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

/** What one side leaves in Redis, both see in the same way. */
@EachSetting
class InspectingIT extends TwoSides {

  /** Of day before yesterday, so that there is a history. */
  private static final Map<String, String> COUNTED = Map.of("processed:", "12", "failed:", "5");

  @Test
  void bothSeeTheSameOfWhatWeLeave() {
    leaveInEachState(Side.JAVA, List.of("one", "two"), Q);
    try (TaskServer server =
        javaServer()
            .concurrency(3)
            .heartbeat(Duration.ofMillis(500))
            .shutdownTimeout(Duration.ofMillis(100))
            .handlers(new Obedient(event -> {}))
            .build()) {
      server.start();
      haveActiveTask(Side.JAVA);
      soon(this::assertBothSeeTheSame);
      assertThat(inspector.servers().get(0).id()).isEqualTo(server.id());
    }
  }

  @Test
  void bothSeeTheSameOfWhatGoLeaves() {
    leaveInEachState(Side.GO, List.of("one", "two"), Q);
    try (Worker go = goWorker("-concurrency", "3", "-retry-delay", "1h")) {
      haveActiveTask(Side.GO);
      soon(this::assertBothSeeTheSame);
      assertThat((long) inspector.servers().get(0).pid()).isEqualTo(go.pid());
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
      inspector.pause(Q);
    }
    enqueue(
        side,
        List.of(
            Samples.text("waits", "x"),
            GoTask.of("waits too", "x").deadline(Instant.now().plus(HOUR)).build()));
    try (Jedis jedis = jedis()) {
      String day = inspector.history(Q, 3).get(2).date().toString();
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
      for (GoTaskInfo task : ours) {
        assertThat(GoTaskInfo.of(task(task.id()))).isEqualTo(task);
        assertThat(goSeesTask(Q, task.id())).isEqualTo(task);
      }
    }
    assertBothCountTheSame();
    assertBothSeeTheSameServers();
  }

  private void assertBothCountTheSame() {
    JsonNode go = goSees(JsonNode.class, "queue", Q).get(0);
    QueueSnapshot ours = stats();
    for (TaskState state : TaskState.values()) {
      String name =
          state.word().substring(0, 1).toUpperCase(Locale.ROOT) + state.word().substring(1);
      assertThat(go.get(name).asLong()).as(name).isEqualTo(ours.size(state));
    }
    assertThat(go.get("Groups").asLong()).isEqualTo(ours.groups()).isEqualTo(1);
    assertThat(go.get("Size").asLong()).isEqualTo(ours.size());
    assertThat(go.get("Processed").asLong()).isEqualTo(ours.processedToday()).isEqualTo(8);
    assertThat(go.get("Failed").asLong()).isEqualTo(ours.failedToday()).isEqualTo(4);
    assertThat(go.get("ProcessedTotal").asLong()).isEqualTo(ours.processed()).isEqualTo(8);
    assertThat(go.get("FailedTotal").asLong()).isEqualTo(ours.failed()).isEqualTo(4);
    assertThat(go.get("Paused").asBoolean()).isEqualTo(ours.paused()).isTrue();
    assertThat(go.get("Latency").asDouble() / 1e9)
        .isCloseTo(ours.latency().toMillis() / 1e3, Offset.offset(2.0));
    assertThat(go.get("MemoryUsage").asLong()).isPositive();
    assertThat(inspector.memoryUsage(Q)).isPresent();

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
    List<DayCount> history = inspector.history(Q, 90);
    assertThat(history.get(2).processed()).isEqualTo(12);
    assertThat(history.stream().map(day -> day.date() + " " + day.processed() + " " + day.failed()))
        .containsExactlyElementsOf(days);

    Map<String, Long> groups = new HashMap<>();
    goSees(JsonNode.class, "groups", Q)
        .get(0)
        .forEach(group -> groups.put(group.get("Group").asString(), group.get("Size").asLong()));
    assertThat(inspector.groups(Q)).isEqualTo(groups).isEqualTo(Map.of(GROUP, 2L));
  }

  /** What both tell of a server; times in seconds. */
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
    List<Shown> go = goSees(JsonNode.class, "servers").get(0).valueStream().map(Shown::of).toList();
    assertThat(go).hasSize(1);
    assertThat(go.get(0).workers).hasSize(1);
    assertThat(go.get(0).concurrency).isEqualTo(3);
    assertThat(inspector.servers().stream().map(Shown::of)).isEqualTo(go);
  }

  @Test
  void bothKnowWhereInAClusterAQueueIs() {
    weEnqueue(Samples.text("one", "x"));
    if (setting.store() == Store.Kind.STANDALONE) {
      assertThat(inspector.nodes(Q)).isEmpty();
      return;
    }
    assertThat(goSees(Long.class, "slot", Q)).containsExactly((long) inspector.slot(Q));
    List<String> nodes =
        goSees(JsonNode.class, "nodes", Q)
            .get(0)
            .valueStream()
            .map(node -> node.get("Addr").asString())
            .sorted(Comparator.naturalOrder())
            .toList();
    assertThat(inspector.nodes(Q)).containsExactlyElementsOf(nodes);
  }

  @Test
  void ordersForOurServersDoNotDisturbAGoServer() {
    try (Worker go = goWorker("-retry-delay", "1h")) {
      weEnqueue(Samples.text("long", "sleep 600000ms"));
      go.await("started", "long");
      soon(() -> assertThat(inspector.servers()).hasSize(1));
      ServerSnapshot server = inspector.servers().get(0);
      assertThat(server.heartbeatAge()).isLessThan(Duration.ofSeconds(11));

      assertThat(inspector.quietServer(server.id())).isTrue();
      assertThat(inspector.stopServer(server.id())).isTrue();
      weEnqueue(Samples.text("next", "x"));
      go.await("finished", "next");
      inspector.cancel(Q, "long", AfterCancel.DELETE);

      assertThat(go.await("finished", "long").error()).isEqualTo("context canceled");
      soon(() -> assertThat(task("long").state()).isEqualTo(TaskState.RETRY));
    }
  }
}
