package io.asynq4j.client;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.client.EnqueueResult.Duplicate;
import io.asynq4j.client.EnqueueResult.Enqueued;
import io.asynq4j.client.EnqueueResult.Failed;
import io.asynq4j.client.EnqueueResult.IdConflict;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.codec.PayloadException;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;

/** A client without faults. The letters are those of the original's own tests. */
@TestInstance(Lifecycle.PER_CLASS)
class TaskClientIT {

  record Welcome(long userId, String language) {}

  private static final TaskType<Welcome> WELCOME =
      TaskType.of("email:welcome", Welcome.class)
          .with(o -> o.queue("mail").maxRetry(5).timeout(ofMinutes(2)).header("origin", "type"));

  private static final Task TASK = Task.of("t", Payload.ofUtf8("p"));

  private EmbeddedRedis server;
  private Jedis admin;
  private RedisConnection redis;
  private TaskClient client;

  @BeforeAll
  void startRedis() {
    server = EmbeddedRedis.builder().ephemeral().start();
    admin = new Jedis(server.host(), server.port());
  }

  @AfterAll
  void stopRedis() {
    admin.close();
    server.close();
  }

  @BeforeEach
  void connect() {
    admin.flushAll();
    redis = RedisConnection.open(server.uri());
    client = TaskClient.create(redis);
  }

  @AfterEach
  void disconnect() {
    client.close();
    redis.close();
  }

  private TaskInfo enqueue(UnaryOperator<TaskOptions.Builder> options) {
    return client.enqueue(TASK, options).orThrow();
  }

  /** The task as the inspector shows it. */
  private TaskInfo stored(TaskInfo task) {
    return BrokerConnection.brokerOf(redis).tasks().task(task.queue(), task.id());
  }

  private Instant now() {
    return redis.clock().instant();
  }

  /** The result equals the stored task, except for the time of the query. */
  private void assertStored(TaskInfo task) {
    TaskInfo stored = stored(task);
    if (task.state() == TaskState.PENDING) {
      assertThat(stored)
          .usingRecursiveComparison()
          .ignoringFields("nextProcessAt", "since")
          .isEqualTo(task);
    } else {
      assertThat(stored).usingRecursiveComparison().ignoringFields("since").isEqualTo(task);
    }
  }

  @Test
  void aStageIsCompletedAlsoWhenItsExecutorHasNoThreadsLeft() throws Exception {
    try (TaskClient own =
        TaskClient.builder(redis)
            .callbacks(
                task -> {
                  throw new InternalError("unable to create native thread");
                })
            .build()) {
      assertThat(
              own.enqueueAsync(Task.of("t"), o -> o.queue("shortage"))
                  .toCompletableFuture()
                  .get(60, TimeUnit.SECONDS)
                  .isEnqueued())
          .isTrue();
    }
  }

  @Test
  void c01_withoutOptionsEverythingHasItsDefault() {
    TaskInfo task = client.enqueue(TASK).orThrow();

    assertThat(task.id()).hasSize(36);
    assertThat(task)
        .usingRecursiveComparison()
        .ignoringFields("id", "nextProcessAt")
        .isEqualTo(
            TaskInfo.builder("", QueueName.DEFAULT, "t")
                .payload(Payload.ofUtf8("p"))
                .timeout(ofMinutes(30))
                .build());
    assertThat(task.nextProcessAt()).isCloseTo(now(), within(2, ChronoUnit.SECONDS));
    assertStored(task);
    assertThat(admin.lrange("asynq:{default}:pending", 0, -1)).containsExactly(task.id());
    assertThat(admin.smembers("asynq:queues")).containsExactly("default");
  }

  @Test
  void c01_aTimeThatIsNowOrOverMeansAtOnce() {
    assertThat(enqueue(o -> o.processAt(now())).state()).isEqualTo(TaskState.PENDING);
    assertThat(enqueue(o -> o.processAt(now().minusSeconds(60))).state())
        .isEqualTo(TaskState.PENDING);
  }

  @Test
  void c02_aTimeToComeMeansScheduledInWholeSecondsNeverEarly() {
    Instant at = now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.SECONDS).plusMillis(1);

    TaskInfo task = enqueue(o -> o.processAt(at));

    assertThat(task.state()).isEqualTo(TaskState.SCHEDULED);
    assertThat(task.nextProcessAt()).isEqualTo(at.plusMillis(999));
    assertThat(admin.zscore("asynq:{default}:scheduled", task.id()))
        .isEqualTo(at.getEpochSecond() + 1.0);
    assertThat(admin.exists("asynq:{default}:pending")).isFalse();
    assertStored(task);
  }

  @Test
  void aPreciseTimeIsKeptToTheMillisecond() {
    Instant at = now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.SECONDS).plusMillis(1);

    TaskInfo task = enqueue(o -> o.processAt(at).precise());

    assertThat(task.nextProcessAt()).isEqualTo(at);
    assertStored(task);
  }

  @Test
  void c03_maxRetryIsStoredAndReturned() {
    TaskInfo task = enqueue(o -> o.maxRetry(3));

    assertThat(task.maxRetry()).isEqualTo(3);
    assertStored(task);
    assertStored(enqueue(o -> o.maxRetry(0)));
  }

  @Test
  void c05_ofTwoValuesTheLastWins() {
    assertThat(enqueue(o -> o.maxRetry(2).maxRetry(10)).maxRetry()).isEqualTo(10);
  }

  @Test
  void c06_c07_theQueueIsTheOneThatWasNamedCaseAndAll() {
    TaskInfo custom = enqueue(o -> o.queue("custom"));
    TaskInfo mine = enqueue(o -> o.queue("MyQueue"));

    assertThat(admin.lrange("asynq:{custom}:pending", 0, -1)).containsExactly(custom.id());
    assertThat(admin.lrange("asynq:{MyQueue}:pending", 0, -1)).containsExactly(mine.id());
    assertThat(admin.smembers("asynq:queues")).containsExactlyInAnyOrder("custom", "MyQueue");
  }

  @Test
  void c08_c09_c10_timeoutAndDeadlineAreKeptAndTheDefaultComesOnlyWithoutBoth() {
    Instant past = Instant.parse("2020-06-24T00:00:00Z");

    TaskInfo timeout = enqueue(o -> o.timeout(ofSeconds(20)));
    TaskInfo deadline = enqueue(o -> o.deadline(past));
    TaskInfo both = enqueue(o -> o.timeout(ofSeconds(20)).deadline(past));

    assertThat(List.of(timeout, deadline, both))
        .extracting(TaskInfo::timeout)
        .containsExactly(ofSeconds(20), null, ofSeconds(20));
    assertThat(List.of(timeout, deadline, both))
        .extracting(TaskInfo::deadline)
        .containsExactly(null, past, past);
    Stream.of(timeout, deadline, both).forEach(this::assertStored);
  }

  @Test
  void fixesW10_partsOfSecondsAreRoundedUpAndNothingMeansSomethingElse() {
    TaskInfo task = enqueue(o -> o.timeout(ofMillis(500)).retention(ofMillis(1)));

    assertThat(task.timeout()).isEqualTo(ofSeconds(1));
    assertThat(task.retention()).isEqualTo(ofSeconds(1));
    assertStored(task);
    assertThatThrownBy(() -> enqueue(o -> o.timeout(Duration.ZERO)))
        .hasMessageContaining("timeout must be positive, got PT0S")
        .hasMessageContaining("PT30M");
  }

  @Test
  void c11_retentionIsStoredAndReturned() {
    TaskInfo task = enqueue(o -> o.retention(ofHours(24)));

    assertThat(task.retention()).isEqualTo(ofHours(24));
    assertStored(task);
  }

  @Test
  void c12_closingAClientLeavesTheConnectionOpen() {
    client.close();
    client.close();

    assertThatThrownBy(() -> client.enqueue(TASK))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("this client is closed; create a new one");
    assertThatThrownBy(() -> client.enqueueAll(List.of(EnqueueRequest.of(TASK))))
        .isInstanceOf(IllegalStateException.class);
    try (TaskClient another = TaskClient.create(redis)) {
      assertThat(another.enqueue(TASK).isEnqueued()).isTrue();
    }
  }

  @Test
  void c13_aGroupedTaskWaitsInItsGroup() {
    TaskInfo task = enqueue(o -> o.group("g"));

    assertThat(task.state()).isEqualTo(TaskState.AGGREGATING);
    assertThat(task.group()).isEqualTo("g");
    assertThat(task.nextProcessAt()).isNull();
    assertThat(admin.zscore("asynq:{default}:g:g", task.id()))
        .isCloseTo((double) now().getEpochSecond(), within(2.0));
    assertThat(admin.exists("asynq:{default}:pending")).isFalse();
    assertStored(task);
  }

  @Test
  void c14_aGroupedTaskForLaterIsScheduledFirst() {
    TaskInfo task = enqueue(o -> o.group("g").processAt(now().plus(30, ChronoUnit.MINUTES)));

    assertThat(task.state()).isEqualTo(TaskState.SCHEDULED);
    assertThat(task.group()).isEqualTo("g");
    assertThat(admin.exists("asynq:{default}:g:g")).isFalse();
    assertStored(task);
  }

  @Test
  void c15_c16_anIdIsUsedOnce() {
    assertThat(enqueue(o -> o.id("custom_id")).id()).isEqualTo("custom_id");

    assertThat(client.enqueue(TASK, o -> o.id("custom_id")))
        .isEqualTo(new IdConflict(QueueName.DEFAULT, "custom_id"));
    assertThat(client.enqueue(TASK, o -> o.id("custom_id").queue("other")).isEnqueued()).isTrue();
  }

  @Test
  void fixesW12_anIdIsFreeAgainWhenItsTaskIsDeleted() {
    enqueue(o -> o.id("a"));
    BrokerConnection.brokerOf(redis).actions().delete(QueueName.DEFAULT, List.of("a"));

    assertThat(client.enqueue(TASK, o -> o.id("a")).isEnqueued()).isTrue();
  }

  @Test
  void c17_c18_aDelayMeansScheduledUnlessItIsZero() {
    TaskInfo later = enqueue(o -> o.processIn(ofHours(1)));

    assertThat(later.state()).isEqualTo(TaskState.SCHEDULED);
    assertThat(later.nextProcessAt())
        .isCloseTo(now().plusSeconds(3600), within(2, ChronoUnit.SECONDS));
    assertThat(stored(later).nextProcessAt())
        .isCloseTo(later.nextProcessAt(), within(1, ChronoUnit.SECONDS));
    assertThat(enqueue(o -> o.processIn(Duration.ZERO)).state()).isEqualTo(TaskState.PENDING);
  }

  @SuppressWarnings("NullAway") // that is the point
  Stream<ThrowingCallable> c04_c19_c20_c21_c22_c23_c24_c25() {
    return Stream.of(
        () -> client.enqueue((Task) null),
        () -> client.enqueue((EnqueueRequest) null),
        () -> client.enqueue(TASK, (TaskOptions) null),
        () -> enqueue(o -> o.queue("")),
        () -> enqueue(o -> o.queue("  ")),
        () -> client.enqueue(Task.of("")),
        () -> client.enqueue(Task.of("   ")),
        () -> enqueue(o -> o.id("")),
        () -> enqueue(o -> o.id("  ")),
        () -> enqueue(o -> o.group(" ")),
        () -> enqueue(o -> o.uniqueFor(ofMillis(300))),
        () -> enqueue(o -> o.maxRetry(-2)),
        () -> enqueue(o -> o.processAt(now()).processIn(ofHours(1))));
  }

  @ParameterizedTest
  @MethodSource("c04_c19_c20_c21_c22_c23_c24_c25")
  void whatIsInvalidIsRefusedInWordsAndNothingIsSent(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfAny(IllegalArgumentException.class, NullPointerException.class)
        .message()
        .containsAnyOf("must", "to enqueue is null", "options are null", "not both");
    assertThat(admin.keys("*")).isEmpty();
  }

  @Test
  void c26_c27_optionsOfTheTypeApplyWhenTheCallHasNone() {
    TaskInfo task = client.enqueue(WELCOME, new Welcome(42, "en")).orThrow();

    assertThat(task.type()).isEqualTo("email:welcome");
    assertThat(task.payload().utf8()).isEqualTo("{\"userId\":42,\"language\":\"en\"}");
    assertThat(task.queue()).isEqualTo(QueueName.of("mail"));
    assertThat(task.maxRetry()).isEqualTo(5);
    assertThat(task.timeout()).isEqualTo(ofMinutes(2));
    assertThat(task.headers()).containsExactly(Map.entry("origin", "type"));
    assertStored(task);
  }

  @Test
  void c28_optionsOfTheCallWinAndTheOthersStay() {
    TaskInfo task =
        client
            .enqueue(WELCOME, new Welcome(42, "en"), o -> o.queue("vip").header("trace", "1"))
            .orThrow();

    assertThat(task.queue()).isEqualTo(QueueName.of("vip"));
    assertThat(task.maxRetry()).isEqualTo(5);
    assertThat(task.headers()).containsOnly(Map.entry("origin", "type"), Map.entry("trace", "1"));
    assertStored(task);
  }

  @Test
  void aTypeWithoutInputCarriesNothing() {
    TaskInfo task = client.enqueue(TaskType.of("sweep")).orThrow();

    assertThat(task.type()).isEqualTo("sweep");
    assertThat(task.payload()).isEqualTo(Payload.absent());
  }

  @Test
  void c29_whileATaskIsUniqueAnEqualOneIsADuplicateOfIt() {
    TaskInfo first = enqueue(o -> o.uniqueFor(ofHours(1)));

    assertThat(client.enqueue(TASK, o -> o.uniqueFor(ofHours(1))))
        .isEqualTo(new Duplicate(QueueName.DEFAULT, "t", first.id()));
    assertThat(first.uniqueKey())
        .isEqualTo("asynq:{default}:unique:t:83878c91171338902e0fe0fb97a8c47a");
    assertThat(admin.ttl(first.uniqueKey())).isBetween(3590L, 3600L);
    assertThat(admin.get(first.uniqueKey())).isEqualTo(first.id());
    assertStored(first);
    assertThat(client.enqueue(TASK).isEnqueued()).isTrue();
    assertThat(client.enqueue(TASK, o -> o.uniqueFor(ofHours(1)).queue("other")).isEnqueued())
        .isTrue();
  }

  @Test
  void c30_c31_theLockOfAScheduledTaskLastsItsTimeFromWhenItIsDue() {
    TaskInfo in = enqueue(o -> o.uniqueFor(ofMinutes(10)).processIn(ofHours(1)));
    TaskInfo at =
        enqueue(
            o -> o.uniqueFor(ofMinutes(10)).processAt(now().plusSeconds(3600)).queue("another"));

    assertThat(admin.ttl(in.uniqueKey())).isBetween(4190L, 4201L);
    assertThat(admin.ttl(at.uniqueKey())).isBetween(4190L, 4201L);
    assertThat(client.enqueue(TASK, o -> o.uniqueFor(ofMinutes(10)).processIn(ofHours(1))))
        .isInstanceOf(Duplicate.class);
  }

  @Test
  void fixesW11_anIdThatIsTakenLeavesNoLockBehind() {
    enqueue(o -> o.id("a"));

    assertThat(client.enqueue(TASK, o -> o.id("a").uniqueFor(ofHours(1))))
        .isInstanceOf(IdConflict.class);

    assertThat(admin.keys("*unique*")).isEmpty();
  }

  @Test
  void k03_k07_c32_c39_headersTravelWithEveryKindOfTaskAndAreItsOwn() {
    Map<String, String> mine = new HashMap<>(Map.of("a", "1", "b", "2"));
    Task task = TASK.withHeaders(mine);
    mine.put("c", "3");

    assertThat(TASK.headers()).isEmpty();
    assertThat(TASK.withHeaders(Map.of()).headers()).isEmpty();
    List<UnaryOperator<TaskOptions.Builder>> kinds =
        List.of(
            o -> o,
            o -> o.maxRetry(3).queue("custom"),
            o -> o.processIn(ofHours(1)),
            o -> o.group("g"));
    for (UnaryOperator<TaskOptions.Builder> kind : kinds) {
      TaskInfo info = client.enqueue(task, o -> kind.apply(o).header("b", "of the call")).orThrow();
      assertThat(info.headers()).isEqualTo(Map.of("a", "1", "b", "of the call"));
      assertThat(stored(info).headers()).isEqualTo(info.headers());
      assertThat(stored(client.enqueue(TASK, kind).orThrow()).headers()).isEmpty();
    }
  }

  @Test
  void optionsMayBeGivenReadyMade() {
    TaskInfo task = client.enqueue(TASK, TaskOptions.of(o -> o.queue("q").maxRetry(1))).orThrow();

    assertThat(task.queue()).isEqualTo(QueueName.of("q"));
    assertThat(task.maxRetry()).isEqualTo(1);
  }

  @Test
  void b01_b02_b03_tasksOfAllKindsAndQueuesGoTogetherAndAnswersKeepTheirOrder() {
    List<EnqueueResult> results =
        client.enqueueAll(
            List.of(
                EnqueueRequest.of(TASK),
                EnqueueRequest.of(TASK, o -> o.processIn(ofHours(1))),
                EnqueueRequest.of(TASK, o -> o.group("g")),
                EnqueueRequest.of(TASK, o -> o.queue("custom").id("x")),
                EnqueueRequest.of(TaskType.of("sweep")),
                EnqueueRequest.of(WELCOME, new Welcome(1, "en")),
                EnqueueRequest.of(WELCOME, new Welcome(1, "en"), o -> o.maxRetry(9))));

    List<TaskInfo> tasks = results.stream().map(EnqueueResult::orThrow).toList();
    assertThat(tasks)
        .extracting(TaskInfo::state)
        .containsExactly(
            TaskState.PENDING,
            TaskState.SCHEDULED,
            TaskState.AGGREGATING,
            TaskState.PENDING,
            TaskState.PENDING,
            TaskState.PENDING,
            TaskState.PENDING);
    assertThat(tasks)
        .extracting(task -> task.queue().value())
        .containsExactly("default", "default", "default", "custom", "default", "mail", "mail");
    assertThat(tasks).extracting(TaskInfo::maxRetry).endsWith(25, 5, 9);
    for (TaskInfo task : tasks) {
      assertThat(stored(task).state()).isEqualTo(task.state());
    }
  }

  @Test
  @SuppressWarnings("NullAway") // one of the requests has no task
  void b04_fixesW09_anInvalidItemFailsAloneAndUniqueGroupedAndHeadersAreFine() {
    List<EnqueueRequest> requests = new ArrayList<>();
    requests.add(null);
    requests.add(EnqueueRequest.of((Task) null));
    requests.add(EnqueueRequest.of(TASK, o -> o.uniqueFor(ofMillis(300))));
    requests.add(EnqueueRequest.of(TASK, o -> o.queue(" ")));
    requests.add(EnqueueRequest.of(Task.of("big", Payload.of(new byte[(1 << 20) + 1]))));
    requests.add(EnqueueRequest.of(TASK, o -> o.uniqueFor(ofHours(1)).id("u").header("h", "v")));
    requests.add(EnqueueRequest.of(TASK, o -> o.uniqueFor(ofHours(1))));
    requests.add(EnqueueRequest.of(TASK, o -> o.group("g").header("h", "v")));

    List<EnqueueResult> results = client.enqueueAll(requests);

    assertThat(results.subList(0, 5)).hasOnlyElementsOfType(Failed.class);
    assertThat(results.get(6)).isEqualTo(new Duplicate(QueueName.DEFAULT, "t", "u"));
    for (int i : List.of(5, 7)) {
      assertThat(stored(results.get(i).orThrow()).headers()).containsEntry("h", "v");
    }
  }

  @Test
  void b06_nothingMakesNothing() {
    assertThat(client.enqueueAll(List.of())).isEmpty();
    assertThat(admin.keys("*")).isEmpty();
  }

  @Test
  void b07_fixesW09_aTakenIdAmongManyIsReportedAsAConflict() {
    List<EnqueueResult> results =
        client.enqueueAll(
            Stream.of("a", "b", "a").map(id -> EnqueueRequest.of(TASK, o -> o.id(id))).toList());

    assertThat(results.get(0)).isInstanceOf(Enqueued.class);
    assertThat(results.get(1)).isInstanceOf(Enqueued.class);
    assertThat(results.get(2)).isEqualTo(new IdConflict(QueueName.DEFAULT, "a"));
    assertThat(admin.llen("asynq:{default}:pending")).isEqualTo(2);
  }

  @Test
  void manyGoInOrder() {
    List<String> ids = IntStream.range(0, 1_234).mapToObj(i -> "id" + i).toList();

    List<EnqueueResult> results =
        client.enqueueAll(ids.stream().map(id -> EnqueueRequest.of(TASK, o -> o.id(id))).toList());

    assertThat(results).extracting(result -> result.orThrow().id()).isEqualTo(ids);
    List<String> pending = admin.lrange("asynq:{default}:pending", 0, -1);
    Collections.reverse(pending);
    assertThat(pending).isEqualTo(ids);
  }

  @Test
  void anAsyncTaskIsReportedByItsStage() {
    CompletableFuture<EnqueueResult> first =
        client.enqueueAsync(TASK, o -> o.id("a").uniqueFor(ofHours(1))).toCompletableFuture();
    assertThat(first.join().orThrow().id()).isEqualTo("a");
    assertStored(first.join().orThrow());

    assertThat(client.enqueueAsync(TASK, o -> o.id("a")).toCompletableFuture().join())
        .isEqualTo(new IdConflict(QueueName.DEFAULT, "a"));
    assertThat(
            client.enqueueAsync(WELCOME, new Welcome(1, "en")).toCompletableFuture().join().task())
        .hasValueSatisfying(task -> assertThat(task.maxRetry()).isEqualTo(5));
    assertThatThrownBy(
            () -> client.enqueueAsync(TASK, o -> o.queue("")).toCompletableFuture().join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aPayloadThatIsTooLargeIsRefusedBeforeItIsSent() {
    try (TaskClient small = TaskClient.builder(redis).maxPayload(10).build()) {
      assertThat(small.enqueue(Task.of("t", Payload.of(new byte[10]))).isEnqueued()).isTrue();
      assertThatThrownBy(() -> small.enqueue(Task.of("report", Payload.of(new byte[11]))))
          .isInstanceOf(PayloadException.class)
          .hasMessage(
              "the payload of task type \"report\" has 11 bytes, more than the maximum of 10; store"
                  + " large data elsewhere and send a reference to it, or raise maxPayload of the"
                  + " client");
    }
    assertThat(admin.llen("asynq:{default}:pending")).isEqualTo(1);
    assertThat(client.enqueue(Task.of("t", Payload.of(new byte[1 << 20]))).isEnqueued()).isTrue();
  }

  @Test
  void aCodecOfOnesOwnIsUsed() {
    PayloadCodec upper =
        new PayloadCodec() {
          @Override
          public Payload encode(Object value) {
            return Payload.ofUtf8("<" + value + ">");
          }

          @Override
          public Object decode(Payload payload, Type type) {
            throw new UnsupportedOperationException();
          }
        };
    try (TaskClient other = TaskClient.builder(redis).codec(upper).build()) {
      TaskInfo task = other.enqueue(TaskType.of("s", String.class), "hi").orThrow();
      assertThat(task.payload().utf8()).isEqualTo("<hi>");
    }
  }

  @Test
  void settingsOutOfRangeAreRefused() {
    TaskClient.Builder builder = TaskClient.builder(redis);
    List<ThrowingCallable> calls =
        List.of(
            () -> builder.maxPayload(0),
            () -> builder.maxPayload((64 << 20) + 1),
            () -> builder.replicas(0),
            () -> builder.confirmWithin(Duration.ZERO),
            () -> builder.confirmWithin(ofHours(1)),
            () -> builder.maxCalls(0),
            () -> builder.maxCalls(100_000),
            () -> builder.maxWaiting(0),
            () -> client.within(Duration.ZERO),
            () -> client.within(ofSeconds(-1)));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("must be");
    }
  }

  @Test
  void anInterruptedThreadSendsNothingAndStaysInterrupted() {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> client.enqueue(TASK))
          .isInstanceOf(BrokerUnavailableException.class)
          .hasMessage("this thread is interrupted; the task was not sent")
          .extracting(e -> ((BrokerUnavailableException) e).mayHaveBeenApplied())
          .isEqualTo(false);
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
    assertThat(admin.keys("*")).isEmpty();
  }

  @Test
  void aCallWithALimitAnswersAsAnyOther() {
    Enqueuer hasty = client.within(ofSeconds(5));

    assertThat(hasty.enqueue(TASK, o -> o.id("a")).isEnqueued()).isTrue();
    assertThat(hasty.enqueue(TASK, o -> o.id("a"))).isInstanceOf(IdConflict.class);
    assertThat(hasty.enqueueAll(List.of(EnqueueRequest.of(TASK), EnqueueRequest.of(TASK))))
        .hasOnlyElementsOfType(Enqueued.class);
    assertThat(hasty.enqueueAsync(TASK).toCompletableFuture().join().isEnqueued()).isTrue();
  }

  private Claim claimOne() {
    return BrokerConnection.brokerOf(redis)
        .leases()
        .claim(QueueName.DEFAULT, 1, ofSeconds(15), QueueRules.NONE)
        .claims()
        .get(0);
  }

  private void settle(Settlement settlement) {
    BrokerConnection.brokerOf(redis)
        .leases()
        .settle(QueueName.DEFAULT, List.of(settlement), QueueRules.NONE, ArchiveRules.DEFAULT);
  }

  @Test
  void aResultIsAwaited() throws Exception {
    TaskInfo task = enqueue(o -> o.retention(ofHours(1)));
    CompletableFuture<TaskInfo> awaited =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return client.awaitResult(task, ofSeconds(10)).orElseThrow();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            },
            runnable -> new Thread(runnable).start());

    assertThat(client.awaitResult("default", task.id(), ofMillis(30))).isEmpty();
    assertThat(client.awaitResult(QueueName.DEFAULT, task.id(), ofMillis(30))).isEmpty();
    settle(new Settlement.Complete(claimOne(), Payload.ofUtf8("done")));

    assertThat(awaited.join().state()).isEqualTo(TaskState.COMPLETED);
    assertThat(awaited.join().result().utf8()).isEqualTo("done");
  }

  @Test
  void aTaskThatWasGivenUpIsAResultToo() throws Exception {
    TaskInfo task = enqueue(o -> o.retention(ofHours(1)));
    BrokerConnection.brokerOf(redis)
        .actions()
        .archive(QueueName.DEFAULT, List.of(task.id()), ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST);

    assertThat(client.awaitResult("default", task.id(), ofSeconds(10)))
        .hasValueSatisfying(info -> assertThat(info.state()).isEqualTo(TaskState.ARCHIVED));
  }

  @Test
  void aTaskWithoutRetentionCannotBeAwaitedBeyondItsEnd() {
    TaskInfo task = enqueue(o -> o);
    settle(new Settlement.Complete(claimOne(), Payload.absent()));

    assertThatThrownBy(() -> client.awaitResult("default", task.id(), ofSeconds(10)))
        .isInstanceOf(TaskNotFoundException.class)
        .hasMessageContaining(task.id())
        .hasMessageContaining("enqueue with a retention");
  }

  @Test
  void whatIsEnqueuedIsListedByOthers() {
    enqueue(o -> o.id("a"));

    assertThat(
            BrokerConnection.brokerOf(redis)
                .tasks()
                .list(QueueName.DEFAULT, Listing.first(TaskState.PENDING, 10))
                .tasks())
        .extracting(TaskInfo::id)
        .containsExactly("a");
  }
}
