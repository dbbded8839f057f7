package io.asynq4j.internal.redis.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.RedisInvariants;
import io.asynq4j.fixture.RedisSnapshot;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.inspect.TaskPage;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.Upkeep;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer.Status;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.command.RedisKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import tools.jackson.databind.JsonNode;

/**
 * What the real asynq left in Redis: we read it as it does, we can act on all of it, and for the
 * same input we leave the same, but for what {@link GoldenScenarios} declares.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GoldenFileIT {

  /** Whole days, to a time that is before the year 2100, of which the files speak. */
  private static final Duration SHIFT = Duration.ofDays(20_000);

  private TestRedis server;
  private BrokerFixture redis;

  @BeforeAll
  void startServer() {
    server = TestRedis.standalone();
  }

  @AfterAll
  void stopServer() {
    server.close();
  }

  @BeforeEach
  void connect() {
    redis = new BrokerFixture(server);
  }

  @AfterEach
  void disconnect() {
    redis.close();
  }

  static List<GoldenFile> golden() {
    return GoldenFile.all();
  }

  static List<GoldenFile> withTasks() {
    return with(EnumSet.allOf(TaskState.class));
  }

  static List<GoldenFile> withPendingTasks() {
    return with(EnumSet.of(TaskState.PENDING));
  }

  static List<GoldenFile> withTasksThatWaitForTheirTime() {
    return with(EnumSet.of(TaskState.SCHEDULED, TaskState.RETRY));
  }

  static List<GoldenFile> withActiveTasks() {
    return with(EnumSet.of(TaskState.ACTIVE));
  }

  private static List<GoldenFile> with(Set<TaskState> states) {
    return GoldenFile.all().stream()
        .filter(golden -> golden.tasks().stream().anyMatch(task -> states.contains(task.state())))
        .toList();
  }

  // Reading.

  @ParameterizedTest
  @MethodSource("golden")
  void ourInspectorReturnsTheSameAsGos(GoldenFile golden) {
    restore(golden);

    assertThat(answers()).isEqualTo(asMap(golden.inspector()));
  }

  @ParameterizedTest
  @MethodSource("withTasks")
  void aSingleTaskIsShownAsInTheList(GoldenFile golden) {
    restore(golden);

    for (QueueName queue : queues()) {
      for (TaskInfo listed : allTasks(queue)) {
        assertThat(redis.tasks().task(queue, listed.id())).isEqualTo(listed);
      }
    }
  }

  @Test
  void theHistoryOfAGoSchedulersEntryIsRead() {
    restore(GoldenFile.named("live-scheduler"));

    assertThat(redis.presence().events("fa4d23d8-0ea6-4717-a39c-5b32c23542a2", 0, 10))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.taskId()).isEqualTo("7e40b5fe-6afd-49b3-98d3-571a8b3c09b8");
              assertThat(event.enqueuedAt().getEpochSecond()).isEqualTo(1_794_774_590L);
            });
  }

  private Map<String, Object> answers() {
    Map<String, Object> answers = new TreeMap<>();
    List<String> queues = queues().stream().map(QueueName::value).toList();
    answers.put("queues", queues);
    for (QueueName queue : queues()) {
      answers.put("queue:" + queue, answers(queue));
    }
    answers.put("servers", servers());
    answers.put(
        "scheduler_entries",
        redis.presence().schedulerEntries(unreadable -> {}).stream()
            .map(GoldenFileIT::entry)
            .toList());
    return answers;
  }

  private List<QueueName> queues() {
    return redis.queues().names().stream().map(QueueName::of).toList();
  }

  private Map<String, Object> answers(QueueName queue) {
    Map<String, Object> answers = new TreeMap<>();
    answers.put("info", info(redis.queues().snapshot(queue)));
    for (TaskState state : TaskState.values()) {
      if (state != TaskState.AGGREGATING) {
        answers.put(state.word(), tasks(queue, Listing.first(state, 100)));
      }
    }
    for (String group : redis.queues().groupSizes(queue).keySet()) {
      answers.put(
          "aggregating:" + group,
          tasks(queue, new Listing(TaskState.AGGREGATING, group, false, 0, 100, null)));
    }
    return answers;
  }

  private List<Map<String, Object>> tasks(QueueName queue, Listing listing) {
    return page(queue, listing).tasks().stream().map(GoldenFileIT::task).toList();
  }

  private TaskPage page(QueueName queue, Listing listing) {
    TaskPage page = redis.tasks().list(queue, listing);
    assertThat(page.unreadable()).isEmpty();
    assertThat(page.total()).isEqualTo(page.tasks().size());
    return page;
  }

  private List<TaskInfo> allTasks(QueueName queue) {
    List<TaskInfo> tasks = new ArrayList<>();
    for (TaskState state : TaskState.values()) {
      if (state != TaskState.AGGREGATING) {
        tasks.addAll(page(queue, Listing.first(state, 100)).tasks());
      }
    }
    for (String group : redis.queues().groupSizes(queue).keySet()) {
      tasks.addAll(
          page(queue, new Listing(TaskState.AGGREGATING, group, false, 0, 100, null)).tasks());
    }
    return tasks;
  }

  private static Map<String, Object> info(QueueSnapshot stats) {
    Map<String, Object> info = new TreeMap<>();
    for (TaskState state : TaskState.values()) {
      info.put(state.word(), stats.size(state));
    }
    info.put("size", stats.size());
    info.put("groups", stats.groups());
    info.put("processed", stats.processedToday());
    info.put("failed", stats.failedToday());
    info.put("processed_total", stats.processed());
    info.put("failed_total", stats.failed());
    info.put("paused", stats.paused());
    return info;
  }

  private static Map<String, Object> task(TaskInfo task) {
    Map<String, Object> fields = new TreeMap<>();
    fields.put("ID", task.id());
    fields.put("Queue", task.queue().value());
    fields.put("Type", task.type());
    fields.put("State", task.state().word());
    fields.put("LastErr", task.lastError());
    fields.put("Group", task.group());
    fields.put("PayloadHex", HexFormat.of().formatHex(task.payload().bytes()));
    fields.put("ResultHex", HexFormat.of().formatHex(task.result().bytes()));
    fields.put("Headers", task.headers().isEmpty() ? List.of() : task.headers());
    fields.put("MaxRetry", (long) task.maxRetry());
    fields.put("Retried", (long) task.retried());
    fields.put("LastFailedAt", seconds(task.lastFailedAt()));
    fields.put("Deadline", seconds(task.deadline()));
    fields.put("NextProcessAt", seconds(task.nextProcessAt()));
    fields.put("CompletedAt", seconds(task.completedAt()));
    fields.put("TimeoutSeconds", task.timeout() == null ? 0L : task.timeout().toSeconds());
    fields.put("RetentionSeconds", task.retention().toSeconds());
    fields.put("IsOrphaned", task.orphaned());
    return fields;
  }

  private List<Map<String, Object>> servers() {
    List<Map<String, Object>> servers = new ArrayList<>();
    for (Presence.Seen seen : redis.presence().seen(broken -> {})) {
      Presence.Server each = seen.server();
      Map<String, Object> fields = new TreeMap<>();
      fields.put("id", each.serverId());
      fields.put("host", each.host());
      fields.put("pid", (long) each.pid());
      fields.put("concurrency", (long) each.concurrency());
      Map<String, Object> queues = new TreeMap<>();
      each.queues().forEach((queue, weight) -> queues.put(queue, (long) weight));
      fields.put("queues", queues);
      fields.put("strict", each.strictPriority());
      fields.put("status", each.status());
      fields.put("started", seconds(each.started()));
      fields.put(
          "workers",
          redis.presence().workers(broken -> {}).stream()
              .filter(worker -> worker.serverId().equals(each.serverId()))
              .sorted(Comparator.comparing(worker -> worker.queue().value()))
              .map(GoldenFileIT::worker)
              .toList());
      servers.add(fields);
    }
    return servers;
  }

  private static Map<String, Object> worker(Presence.Worker worker) {
    return new TreeMap<>(
        Map.of(
            "task_id", worker.taskId(),
            "type", worker.taskType(),
            "payload_hex", HexFormat.of().formatHex(worker.taskPayload().bytes()),
            "queue", worker.queue().value(),
            "started", seconds(worker.started()),
            "deadline", seconds(worker.deadline())));
  }

  private static Map<String, Object> entry(Presence.SchedulerEntry entry) {
    return new TreeMap<>(
        Map.of(
            "id", entry.id(),
            "spec", entry.spec(),
            "type", entry.taskType(),
            "payload_hex", HexFormat.of().formatHex(entry.taskPayload().bytes()),
            "opts", entry.options(),
            "next", seconds(entry.next()),
            "prev", seconds(entry.previous())));
  }

  private static long seconds(@Nullable Instant instant) {
    return instant == null ? 0 : instant.getEpochSecond();
  }

  /** JSON as plain values; none at all is an empty list, as Go has it. */
  private static Object asMap(JsonNode node) {
    if (node.isObject()) {
      Map<String, Object> map = new TreeMap<>();
      node.properties().forEach(field -> map.put(field.getKey(), asMap(field.getValue())));
      return map;
    } else if (node.isArray()) {
      List<Object> list = new ArrayList<>();
      node.forEach(item -> list.add(asMap(item)));
      return list;
    } else if (node.isNull()) {
      return List.of();
    } else if (node.isBoolean()) {
      return node.asBoolean();
    }
    return node.isNumber() ? (Object) node.asLong() : node.asString();
  }

  // Acting.

  @ParameterizedTest
  @MethodSource("withTasks")
  void everyWaitingTaskCanBeRunAndThenCompleted(GoldenFile golden) {
    for (GoldenFile.StoredTask task : golden.tasks()) {
      restoreToActOn(golden, task.queue());

      ActionAnswer answer = redis.actions().run(task.queue(), List.of(task.id())).get(0);

      RedisInvariants.assertHold(server);
      if (task.state() == TaskState.PENDING || task.state() == TaskState.ACTIVE) {
        assertThat(answer).isEqualTo(new ActionAnswer(Status.WRONG_STATE, task.state()));
      } else {
        assertThat(answer.status()).isEqualTo(Status.DONE);
        assertThat(redis.tasks().task(task.queue(), task.id()).state())
            .isEqualTo(TaskState.PENDING);
        completeAll(task.queue());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("withTasks")
  void everyWaitingTaskCanBeArchived(GoldenFile golden) {
    for (GoldenFile.StoredTask task : golden.tasks()) {
      restoreToActOn(golden, task.queue());

      ActionAnswer answer =
          redis
              .actions()
              .archive(task.queue(), List.of(task.id()), ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST)
              .answers()
              .get(0);

      RedisInvariants.assertHold(server);
      if (task.state() == TaskState.ARCHIVED || task.state() == TaskState.ACTIVE) {
        assertThat(answer).isEqualTo(new ActionAnswer(Status.WRONG_STATE, task.state()));
      } else {
        assertThat(answer.status()).isEqualTo(Status.DONE);
        assertThat(redis.tasks().task(task.queue(), task.id()).state())
            .isEqualTo(TaskState.ARCHIVED);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("withTasks")
  void everyTaskThatDoesNotRunCanBeDeleted(GoldenFile golden) {
    for (GoldenFile.StoredTask task : golden.tasks()) {
      restoreToActOn(golden, task.queue());

      ActionAnswer answer = redis.actions().delete(task.queue(), List.of(task.id())).get(0);

      RedisInvariants.assertHold(server);
      if (task.state() == TaskState.ACTIVE) {
        assertThat(answer).isEqualTo(new ActionAnswer(Status.WRONG_STATE, TaskState.ACTIVE));
      } else {
        assertThat(answer.status()).isEqualTo(Status.DONE);
        assertThatExceptionOfType(TaskNotFoundException.class)
            .isThrownBy(() -> redis.tasks().task(task.queue(), task.id()));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("withPendingTasks")
  void pendingTasksAreClaimedInTheirOrderAndCompleted(GoldenFile golden) {
    for (QueueName queue : queuesOf(golden)) {
      restoreToActOn(golden, queue);
      List<String> pending = ids(page(queue, Listing.first(TaskState.PENDING, 100)));

      assertThat(completeAll(queue)).isEqualTo(pending);
    }
  }

  @ParameterizedTest
  @MethodSource("withTasksThatWaitForTheirTime")
  void scheduledAndRetryTasksAreForwardedWhenTheyAreDueAndCompleted(GoldenFile golden) {
    for (QueueName queue : queuesOf(golden)) {
      restoreToActOn(golden, queue);
      List<String> waiting = ids(page(queue, Listing.first(TaskState.SCHEDULED, 100)));
      waiting.addAll(ids(page(queue, Listing.first(TaskState.RETRY, 100))));
      completeAll(queue);

      redis.clock.set(Instant.parse("2100-01-02T03:04:05Z"));
      assertThat(redis.upkeep().forward(queue, 100).moved()).isEqualTo(waiting.size());

      RedisInvariants.assertHold(server);
      assertThat(completeAll(queue)).isEqualTo(waiting);
    }
  }

  @ParameterizedTest
  @MethodSource("withActiveTasks")
  void activeTasksAreRecoveredWhenAGoWorkerHasHadItsGrace(GoldenFile golden) {
    for (GoldenFile.StoredTask task : golden.tasks()) {
      if (task.state() != TaskState.ACTIVE) {
        continue;
      }
      restoreToActOn(golden, task.queue());
      String lease = redis.rawText(Command.ZSCORE, RedisKeys.of(task.queue(), "lease"), task.id());
      Instant expiry = Instant.ofEpochSecond(Long.parseLong(lease));

      redis.clock.set(expiry.plusSeconds(29));
      assertThat(recover(task.queue())).isEmpty();
      redis.clock.set(expiry.plusSeconds(31));
      assertThat(recover(task.queue()))
          .containsExactly(new Upkeep.Recovered(task.id(), CrashRules.Recovery.PENDING));

      RedisInvariants.assertHold(server);
      assertThat(completeAll(task.queue())).contains(task.id());
    }
  }

  @ParameterizedTest
  @MethodSource("withTasks")
  void everyQueueWithoutActiveTasksCanBeRemovedAndLeavesOnlyLocksThatEnd(GoldenFile golden) {
    for (QueueName queue : queuesOf(golden)) {
      restoreToActOn(golden, queue);
      if (redis.queues().snapshot(queue).size(TaskState.ACTIVE) > 0) {
        continue;
      }

      redis.queueRemoval().remove(queue, /* force= */ true);

      RedisInvariants.assertHold(server);
      assertThat(redis.queues().names()).doesNotContain(queue.value());
      assertThat(RedisSnapshot.of(server).entries().keySet())
          .filteredOn(key -> key.startsWith(RedisKeys.prefix(queue)) && !key.contains(":lane:"))
          .allMatch(key -> key.startsWith(RedisKeys.of(queue, "unique:")));
    }
  }

  private static List<QueueName> queuesOf(GoldenFile golden) {
    return golden.tasks().stream().map(GoldenFile.StoredTask::queue).distinct().toList();
  }

  private static List<String> ids(TaskPage page) {
    return new ArrayList<>(page.tasks().stream().map(TaskInfo::id).toList());
  }

  private List<Upkeep.Recovered> recover(QueueName queue) {
    return redis
        .upkeep()
        .recover(queue, 200, CrashRules.DEFAULT, QueueRules.NONE, ArchiveRules.DEFAULT);
  }

  /** Claims and completes what is pending; the ids in the order in which they came. */
  private List<String> completeAll(QueueName queue) {
    redis.queueControl().resume(queue);
    List<Claim> claims =
        redis.source().claim(queue, 100, BrokerFixture.LEASE, QueueRules.NONE).claims();
    RedisInvariants.assertHold(server);
    List<Settlement.Complete> settlements =
        claims.stream().map(claim -> new Settlement.Complete(claim, Payload.absent())).toList();
    assertThat(redis.source().settle(queue, settlements, QueueRules.NONE, ArchiveRules.DEFAULT))
        .hasSameSizeAs(claims)
        .allMatch(settled -> settled == SettleResult.APPLIED);
    RedisInvariants.assertHold(server);
    return claims.stream().map(Claim::id).toList();
  }

  private void restore(GoldenFile golden) {
    server.flush();
    golden.restore(server);
    redis.clock.set(golden.dumped());
  }

  /** As a producer finds it: a queue that somebody has removed is registered again. */
  private void restoreToActOn(GoldenFile golden, QueueName queue) {
    restore(golden);
    try (Connection connection = TestRedis.connect(server.primaries().get(0))) {
      RedisSnapshot.command(connection, Command.SADD, RedisKeys.QUEUES, queue.value());
    }
    RedisInvariants.assertHold(server);
  }

  // Doing the same.

  @Test
  void everyGoldenFileHasAScenario() {
    assertThat(GoldenScenarios.all().keySet())
        .containsExactlyInAnyOrderElementsOf(
            GoldenFile.all().stream().map(GoldenFile::name).toList());
  }

  @ParameterizedTest
  @MethodSource("golden")
  void theSameInputLeavesTheSameButForWhatIsDeclared(GoldenFile golden) {
    GoldenScenarios.Scenario scenario =
        Objects.requireNonNull(GoldenScenarios.all().get(golden.name()));
    Duration shift = scenario.shifted() ? SHIFT : Duration.ZERO;
    redis.clock.set(golden.started().plus(shift));

    scenario.input().accept(new GoldenScenarios.Play(redis, golden));

    assertThat(GoldenComparison.between(golden, RedisSnapshot.of(server), shift))
        .containsExactlyInAnyOrderElementsOf(scenario.why().keySet());
    RedisInvariants.assertHold(server);
  }
}
