package io.asynq4j.internal.redis.golden;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.RedisSnapshot;
import io.asynq4j.internal.broker.Aggregation.AggregationSet;
import io.asynq4j.internal.broker.Aggregation.FinishAnswer;
import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.codec.PresenceCodec;
import io.asynq4j.internal.redis.codec.WireFormatException;
import io.asynq4j.internal.redis.command.RedisKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The inputs of the golden files, given to our broker, and every difference that there is to be in
 * what they leave, with its reason. T is the second in which the input began.
 */
final class GoldenScenarios {

  private static final String ROUNDED_UP =
      "times to run or to delete at are rounded up, so that nothing happens early";
  private static final String LOCK_ROUNDED_UP = "the expiry of a lock is rounded up";

  private static final Payload USER_42 = Payload.ofUtf8("{\"user_id\":42}");
  private static final Instant FAR = Instant.parse("2100-01-02T03:04:05.678Z");
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

  /** Go's default queue and ours. */
  private static final QueueName DEFAULT = QueueName.DEFAULT;

  private final Map<String, Scenario> scenarios = new LinkedHashMap<>();

  /**
   * What is done, and how what it leaves differs from what the original leaves.
   *
   * @param why of each difference
   * @param shifted whether our clock is set ahead, so that Redis does not drop counters of a day as
   *     soon as those of the golden files have ended
   */
  record Scenario(Consumer<Play> input, Map<String, String> why, boolean shifted) {

    /** Declares a difference. */
    Scenario differs(String difference, String reason) {
      why.put(difference, reason);
      return this;
    }
  }

  static Map<String, Scenario> all() {
    GoldenScenarios all = new GoldenScenarios();
    all.enqueueing();
    all.scheduling();
    all.uniqueness();
    all.groups();
    all.success();
    all.failure();
    all.inspecting();
    all.presence();
    return all.scenarios;
  }

  private Scenario when(String name, Consumer<Play> input) {
    Scenario scenario = new Scenario(input, new LinkedHashMap<>(), true);
    scenarios.put(name, scenario);
    return scenario;
  }

  private Scenario whenOnTime(String name, Consumer<Play> input) {
    Scenario scenario = new Scenario(input, new LinkedHashMap<>(), false);
    scenarios.put(name, scenario);
    return scenario;
  }

  /** Words for what scenarios do. */
  record Play(BrokerFixture redis, GoldenFile golden) {

    EnqueueReply enqueue(Task task, UnaryOperator<TaskOptions.Builder> options) {
      return redis.enqueue(newTask(task, options)).get(0);
    }

    /** A task of the type and with the payload that most files have. */
    EnqueueReply enqueue(UnaryOperator<TaskOptions.Builder> options) {
      return enqueue(Task.of("n", USER_42), options);
    }

    NewTask newTask(Task task, UnaryOperator<TaskOptions.Builder> options) {
      return NewTask.of(task, TaskOptions.of(options), redis.clock.instant());
    }

    Claim claim(QueueName queue, Duration lease) {
      return redis.source().claim(queue, 1, lease, QueueRules.NONE).claims().get(0);
    }

    Claim claim() {
      return claim(DEFAULT, BrokerFixture.LEASE);
    }

    void settle(Settlement settlement) {
      assertThat(
              redis
                  .source()
                  .settle(DEFAULT, List.of(settlement), QueueRules.NONE, ArchiveRules.DEFAULT))
          .containsExactly(SettleResult.APPLIED);
    }

    void process(Function<Claim, Settlement> outcome) {
      settle(outcome.apply(claim()));
    }

    void later(Duration duration) {
      redis.clock.advance(duration);
    }

    byte[] stored(String key) {
      return entry(key).values().get(0);
    }

    byte[] stored(String key, String field) {
      return Objects.requireNonNull(entry(key).pairs().get(field));
    }

    private RedisSnapshot.Entry entry(String key) {
      return Objects.requireNonNull(golden.snapshot().entries().get(key));
    }
  }

  private static Function<Claim, Settlement> failing(String error) {
    return claim -> new Settlement.Retry(claim, HOUR, error, true, false);
  }

  private void enqueueing() {
    when("enqueue-default", p -> p.enqueue(Task.of("email:welcome", USER_42), o -> o.id("t1")));
    when("enqueue-nil-payload", p -> p.enqueue(Task.of("noop"), o -> o.id("t1")));
    when(
        "enqueue-empty-payload",
        p -> p.enqueue(Task.of("noop", Payload.of(new byte[0])), o -> o.id("t1")));
    when(
        "enqueue-binary-payload",
        p ->
            p.enqueue(
                Task.of("bin", Payload.of(HexFormat.of().parseHex("00ff800a"))), o -> o.id("t1")));
    when(
        "enqueue-unicode",
        p ->
            p.enqueue(
                Task.of("задача:отправить", Payload.ofUtf8("привет")),
                o -> o.queue("очередь").id("ид-1")));
    when(
        "enqueue-three-fifo",
        p -> {
          p.enqueue(o -> o.id("a"));
          p.enqueue(o -> o.id("b"));
          p.enqueue(o -> o.id("c"));
        });
    when(
        "enqueue-options",
        p ->
            p.enqueue(
                Task.of("email:welcome", USER_42),
                o ->
                    o.id("t1")
                        .queue("critical")
                        .maxRetry(3)
                        .timeout(Duration.ofSeconds(20))
                        .deadline(FAR)
                        .retention(Duration.ofHours(2))));
    when("enqueue-deadline-only", p -> p.enqueue(o -> o.id("t1").deadline(FAR)));
    when(
            "enqueue-subsecond-timeout",
            p -> p.enqueue(o -> o.id("t1").timeout(Duration.ofMillis(500))))
        .differs(
            "t:t1 msg: n({\"user_id\":42}) retry 0/25 -> n({\"user_id\":42}) retry 0/25 timeout 1",
            "Q-21: half a second of timeout is rounded up, not lost");
    when("enqueue-max-retry-zero", p -> p.enqueue(o -> o.id("t1").maxRetry(0)));
    when("enqueue-headers", p -> p.enqueue(o -> o.id("t1").header("trace-id", "abc")));
    when(
        "enqueue-headers-many",
        p -> p.enqueue(o -> o.id("t1").header("a", "1").header("b", "").header("c", "é")));
    when(
            "batch",
            p ->
                p.redis()
                    .enqueue(
                        p.newTask(Task.of("n", USER_42), o -> o.id("a")),
                        p.newTask(Task.of("n", USER_42), o -> o.id("b").processIn(HOUR)),
                        p.newTask(Task.of("n", USER_42), o -> o.id("c").queue("low"))))
        .differs("scheduled b: T+3600 -> T+3601", ROUNDED_UP);
    when(
        "id-conflict",
        p -> {
          p.enqueue(o -> o.id("t1"));
          assertThat(p.enqueue(o -> o.id("t1"))).isEqualTo(EnqueueReply.ID_CONFLICT);
        });
  }

  private void scheduling() {
    when("schedule-at", p -> p.enqueue(o -> o.id("t1").processAt(FAR)))
        .differs("scheduled t1: 4102542245 -> 4102542246", ROUNDED_UP);
    when("schedule-in", p -> p.enqueue(o -> o.id("t1").processIn(HOUR)))
        .differs("scheduled t1: T+3600 -> T+3601", ROUNDED_UP);
  }

  private void uniqueness() {
    when(
        "unique-pending",
        p -> p.enqueue(Task.of("email:welcome", USER_42), o -> o.id("t1").uniqueFor(TEN_MINUTES)));
    when(
        "unique-nil-payload",
        p -> p.enqueue(Task.of("noop"), o -> o.id("t1").uniqueFor(TEN_MINUTES)));
    when(
        "unique-empty-payload",
        p ->
            p.enqueue(
                Task.of("noop", Payload.of(new byte[0])), o -> o.id("t1").uniqueFor(TEN_MINUTES)));
    when(
        "unique-duplicate",
        p -> {
          p.enqueue(o -> o.id("t1").uniqueFor(TEN_MINUTES));
          assertThat(p.enqueue(o -> o.id("t2").uniqueFor(TEN_MINUTES)))
              .isEqualTo(EnqueueReply.duplicateOf("t1"));
        });
    when("unique-scheduled", p -> p.enqueue(o -> o.id("t1").uniqueFor(TEN_MINUTES).processIn(HOUR)))
        .differs("scheduled t1: T+3600 -> T+3601", ROUNDED_UP)
        .differs(
            "unique:n:1181f89307fa271072c095747d5813cc lasts: 4199 s -> 4201 s", LOCK_ROUNDED_UP);
    when(
            "id-conflict-leaks-lock",
            p -> {
              p.enqueue(o -> o.id("t1"));
              assertThat(p.enqueue(o -> o.id("t1").uniqueFor(TEN_MINUTES)))
                  .isEqualTo(EnqueueReply.ID_CONFLICT);
            })
        .differs(
            "unique:n:1181f89307fa271072c095747d5813cc: t1 -> nothing",
            "Q-1: a task that is refused for its id leaves no lock");
  }

  private void groups() {
    when(
        "group",
        p -> {
          p.enqueue(o -> o.id("a").group("g1"));
          p.enqueue(o -> o.id("b").group("g1"));
          p.enqueue(o -> o.id("c").group("g:2"));
        });
    when("group-unique", p -> p.enqueue(o -> o.id("a").group("g1").uniqueFor(TEN_MINUTES)))
        .differs(
            "t:a unique_key: nothing -> asynq:{default}:unique:n:1181f89307fa271072c095747d5813cc",
            "Q-2: the record of a grouped task names its lock, so that it can be released");
    when("group-scheduled", p -> p.enqueue(o -> o.id("a").group("g1").processIn(HOUR)))
        .differs("scheduled a: T+3600 -> T+3601", ROUNDED_UP)
        .differs("t:a group: nothing -> g1", "Q-3: a scheduled task goes into its group when due")
        .differs(
            "groups: nothing -> [g1]",
            "Q-3 variant b: the group is listed already now, since a Go forwarder would not do it");
    when(
        "aggregated",
        p -> {
          // The original's run had the queue paused, so that nobody took the new task.
          p.redis().queueControl().pause(DEFAULT);
          p.enqueue(Task.of("n", Payload.ofUtf8("1")), o -> o.id("a").group("g1"));
          p.enqueue(Task.of("n", Payload.ofUtf8("2")), o -> o.id("b").group("g1"));
          AggregationSet set =
              p.redis()
                  .aggregation()
                  .aggregate(
                      DEFAULT,
                      "g1",
                      new GroupRules(2, Duration.ZERO, HOUR, GroupRules.DEFAULT_TIMEOUT))
                  .orElseThrow();
          String joined =
              String.join(
                  ",",
                  p.redis().aggregation().read(set).messages().stream()
                      .map(message -> message.payload().utf8())
                      .toList());
          p.later(Duration.ofSeconds(1));
          NewTask batch = p.newTask(Task.of("batch", Payload.ofUtf8(joined)), o -> o.id("agg"));
          assertThat(p.redis().aggregation().finish(set, batch)).isEqualTo(FinishAnswer.DONE);
          assertThat(p.redis().aggregation().sweep(DEFAULT, 100)).isEqualTo(2);
        });
  }

  private void success() {
    when(
        "done",
        p -> {
          p.enqueue(o -> o.id("t1"));
          p.process(claim -> new Settlement.Complete(claim, Payload.absent()));
        });
    when(
            "completed-with-result",
            p -> {
              p.enqueue(o -> o.id("t1").retention(Duration.ofHours(2)));
              Claim claim = p.claim();
              assertThat(p.redis().source().writeResult(claim, Payload.ofUtf8("ok 7"))).isTrue();
              p.settle(new Settlement.Complete(claim, Payload.absent()));
            })
        .differs("completed t1: T+7200 -> T+7201", ROUNDED_UP);
    when(
        "revoked",
        p -> {
          p.enqueue(o -> o.id("t1").retention(HOUR));
          p.process(Settlement.Drop::new);
        });
  }

  private void failure() {
    when(
            "retry",
            p -> {
              p.enqueue(o -> o.id("t1").maxRetry(5));
              p.process(failing("boom: disk full"));
            })
        .differs("retry t1: T+3600 -> T+3601", ROUNDED_UP);
    when(
            "retry-not-a-failure",
            p -> {
              p.enqueue(o -> o.id("t1").maxRetry(5));
              p.process(claim -> new Settlement.Retry(claim, HOUR, "busy", false, false));
            })
        .differs("retry t1: T+3600 -> T+3601", ROUNDED_UP);
    when(
        "archived-exhausted",
        p -> {
          p.enqueue(o -> o.id("t1").maxRetry(0));
          p.process(claim -> new Settlement.Archive(claim, "boom"));
        });
    when(
        "archived-skip-retry",
        p -> {
          p.enqueue(o -> o.id("t1").uniqueFor(TEN_MINUTES));
          p.process(claim -> new Settlement.Archive(claim, "bad input: skip retry for the task"));
        });
    when(
            "retry-panic",
            p -> {
              p.enqueue(o -> o.id("t1"));
              p.process(
                  failing(
                      "panic error cause by: panic [github.com/hibiken/asynq/goldengen/main.go:375]:"
                          + " kaput"));
            })
        .differs("retry t1: T+3600 -> T+3601", ROUNDED_UP);
    when(
            "retry-timeout",
            p -> {
              p.enqueue(o -> o.id("t1").timeout(Duration.ofSeconds(1)));
              Claim claim = p.claim();
              p.later(Duration.ofSeconds(1));
              p.settle(failing("context deadline exceeded").apply(claim));
            })
        .differs("retry t1: T+3601 -> T+3602", ROUNDED_UP);
    when(
            "retry-cancelled",
            p -> {
              p.enqueue(o -> o.id("t1"));
              p.process(failing("context canceled"));
            })
        .differs("retry t1: T+3600 -> T+3601", ROUNDED_UP);
    String noHandler = "W-46: a missing handler costs no retry";
    when(
            "retry-no-handler",
            p -> {
              p.enqueue(Task.of("unknown:type", USER_42), o -> o.id("t1"));
              p.process(
                  claim ->
                      new Settlement.Retry(
                          claim,
                          HOUR,
                          "handler not found for task \"unknown:type\"",
                          false,
                          false));
            })
        .differs("retry t1: T+3600 -> T+3601", ROUNDED_UP)
        .differs(
            "t:t1 msg: unknown:type({\"user_id\":42}) retry 1/25 timeout 1800 failed 1000000000 error"
                + " 'handler not found for task \"unknown:type\"'"
                + " -> unknown:type({\"user_id\":42}) retry 0/25 timeout 1800 failed 1000000000 error"
                + " 'handler not found for task \"unknown:type\"'",
            noHandler)
        .differs("processed: 1 -> nothing", noHandler)
        .differs("processed:today: 1 -> nothing", noHandler)
        .differs("processed:today until: T+7776000 -> nothing", noHandler)
        .differs("failed: 1 -> nothing", noHandler)
        .differs("failed:today: 1 -> nothing", noHandler)
        .differs("failed:today until: T+7776000 -> nothing", noHandler);
    when(
            "requeued-at-shutdown",
            p -> {
              p.enqueue(o -> o.id("t1"));
              p.enqueue(o -> o.id("t2"));
              Claim claim = p.claim();
              p.later(Duration.ofSeconds(1));
              p.settle(new Settlement.Requeue(claim));
            })
        .differs(
            "t:t1 pending_since: nothing -> T+1 in ns",
            "Q-15: a task that is pending again knows since when");
  }

  private void inspecting() {
    when(
        "paused",
        p -> {
          p.enqueue(o -> o.id("t1"));
          assertThat(p.redis().queueControl().pause(DEFAULT)).isTrue();
        });
    when(
        "inspector-archived",
        p -> {
          p.enqueue(o -> o.id("t1").processIn(HOUR));
          p.redis()
              .actions()
              .archive(DEFAULT, List.of("t1"), ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST);
        });
    when(
            "inspector-run",
            p -> {
              p.enqueue(o -> o.id("t1").processIn(HOUR));
              p.redis().actions().run(DEFAULT, List.of("t1"));
            })
        .differs(
            "t:t1 pending_since: nothing -> T+0 in ns",
            "Q-15: a task that is run by hand knows since when it is pending");
    when(
            "inspector-updated-payload",
            p -> {
              p.enqueue(o -> o.id("t1").processIn(HOUR));
              p.redis()
                  .taskEdits()
                  .updatePayload(DEFAULT, "t1", Payload.ofUtf8("{\"user_id\":43}"));
            })
        .differs("scheduled t1: T+3600 -> T+3601", ROUNDED_UP);
    String leftOver = "Q-16c: a queue that is removed leaves nothing";
    when(
            "queue-removed-by-force",
            p -> {
              p.enqueue(o -> o.id("t1"));
              p.enqueue(o -> o.id("t2").processIn(HOUR));
              p.enqueue(o -> o.id("t3").group("g1"));
              p.redis().queueRemoval().remove(DEFAULT, /* force= */ true);
            })
        .differs("g:g1 t3: T+0 -> nothing", leftOver)
        .differs("groups: [g1] -> nothing", leftOver)
        .differs("t:t3 group: g1 -> nothing", leftOver)
        .differs("t:t3 state: " + TaskState.AGGREGATING.word() + " -> nothing", leftOver)
        .differs(
            "t:t3 msg: n({\"user_id\":42}) retry 0/25 timeout 1800 group g1 -> nothing", leftOver);
  }

  private void presence() {
    String fence = "the fraction of a lease's score is the token of its claim";
    when(
            "live-server",
            p -> {
              String host = "golden-host";
              int pid = 17052;
              String id = "ad8eefc0-c8e7-442d-92bb-883c4f2a4b8c";
              QueueName critical = QueueName.of("critical");
              p.enqueue(Task.of("slow", USER_42), o -> o.id("t1").timeout(TEN_MINUTES));
              p.enqueue(
                  Task.of("slow", USER_42), o -> o.id("t2").queue("critical").timeout(TEN_MINUTES));
              Duration lease = Duration.ofSeconds(30);
              Claim t1 = p.claim(DEFAULT, lease);
              Claim t2 = p.claim(critical, lease);
              p.later(Duration.ofSeconds(5));
              Presence.Server server =
                  new Presence.Server(
                      host,
                      pid,
                      id,
                      4,
                      Map.of("critical", 6, "default", 3, "low", 1),
                      false,
                      "active",
                      startOf(p, RedisKeys.server(host, pid, id)),
                      2,
                      null);
              p.redis()
                  .presence()
                  .show(
                      server,
                      List.of(worker(p, server, t1), worker(p, server, t2)),
                      Duration.ofSeconds(10));
              assertThat(p.redis().source().extend(DEFAULT, List.of(t1), lease))
                  .doesNotContainNull();
              assertThat(p.redis().source().extend(critical, List.of(t2), lease))
                  .doesNotContainNull();
            })
        .differs("lease t1: T+35 -> T+35 and a fraction", fence)
        .differs("t:t1 claim: nothing -> a token", fence)
        .differs("asynq:{critical}:lease t2: T+35 -> T+35 and a fraction", fence)
        .differs("asynq:{critical}:t:t2 claim: nothing -> a token", fence);

    String tick = "fa4d23d8-0ea6-4717-a39c-5b32c23542a2";
    whenOnTime(
            "live-scheduler",
            p -> {
              p.later(Duration.ofSeconds(1));
              String taskId = "7e40b5fe-6afd-49b3-98d3-571a8b3c09b8";
              Task task = Task.of("tick", Payload.ofUtf8("p"));
              UnaryOperator<TaskOptions.Builder> options =
                  o ->
                      o.queue("low")
                          .maxRetry(3)
                          .timeout(Duration.ofMinutes(3))
                          .uniqueFor(HOUR)
                          .retention(Duration.ofHours(24));
              p.enqueue(task, o -> options.apply(o).id(taskId));
              p.redis()
                  .presence()
                  .recordEvent(tick, new Presence.SchedulerEvent(taskId, eventTime(p, tick)));
              for (int i = 0; i < 3; i++) {
                p.later(Duration.ofSeconds(1));
                assertThat(p.enqueue(task, options)).isEqualTo(EnqueueReply.duplicateOf(taskId));
              }
              p.redis()
                  .presence()
                  .showEntries(
                      "golden-host:17052:101a07f0-cc94-46a1-9eee-29fe6fecfa21",
                      List.of(
                          entry(
                              p,
                              tick,
                              "@every 1s",
                              task,
                              "Queue(\"low\")",
                              "MaxRetry(3)",
                              "Timeout(3m0s)",
                              "Unique(1h0m0s)",
                              "Retention(24h0m0s)"),
                          entry(
                              p,
                              "41c6274e-5759-4ec9-bdf0-5134e940cfd3",
                              "CRON_TZ=Europe/Oslo 30 3 * * 1-5",
                              Task.of("nightly"))),
                      Duration.ofSeconds(2));
            })
        .differs(
            "asynq:scheduler_history:" + tick + " lasts: for ever -> 7776000 s",
            "Q-28: the history of an entry that nobody adds to goes away by itself");
  }

  // When something started or is to happen is not in a file's input, so it is taken from what was
  // stored.

  private static Instant startOf(Play play, String key) {
    return read(
        () -> Objects.requireNonNull(PresenceCodec.decodeServer(play.stored(key)).started()));
  }

  private static Presence.Worker worker(Play play, Presence.Server server, Claim claim) {
    String key = RedisKeys.workers(server.host(), server.pid(), server.serverId());
    Presence.Worker stored = read(() -> PresenceCodec.decodeWorker(play.stored(key, claim.id())));
    return new Presence.Worker(
        server.host(),
        server.pid(),
        server.serverId(),
        claim.id(),
        claim.message().type(),
        claim.message().payload(),
        claim.queue(),
        stored.started(),
        stored.deadline());
  }

  private static Presence.SchedulerEntry entry(
      Play play, String id, String spec, Task task, String... options) {
    Presence.SchedulerEntry stored =
        play
            .entry("asynq:schedulers:{golden-host:17052:101a07f0-cc94-46a1-9eee-29fe6fecfa21}")
            .values()
            .stream()
            .map(bytes -> read(() -> PresenceCodec.decodeSchedulerEntry(bytes)))
            .filter(entry -> entry.id().equals(id))
            .findFirst()
            .orElseThrow();
    return new Presence.SchedulerEntry(
        id, spec, task.type(), task.payload(), List.of(options), stored.next(), stored.previous());
  }

  private static Instant eventTime(Play play, String entryId) {
    return read(
        () ->
            PresenceCodec.decodeSchedulerEvent(play.stored(RedisKeys.schedulerHistory(entryId)))
                .enqueuedAt());
  }

  private interface Reading<T> {
    T read() throws WireFormatException;
  }

  private static <T> T read(Reading<T> reading) {
    try {
      return reading.read();
    } catch (WireFormatException e) {
      throw new AssertionError(e);
    }
  }
}
