package io.asynq4j.inspect;

import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static io.asynq4j.fixture.BrokerFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.ScheduleNotFoundException;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.inspect.ScheduleSnapshot.ScheduleEvent;
import io.asynq4j.inspect.ServerSnapshot.WorkerSnapshot;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.codec.PresenceCodec;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.schedule.SchedulerAccess;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Protocol.Command;

/** Queues, servers and schedulers, as the inspector shows and changes them. */
interface InspectorQueueContract extends InspectorContractSupport {

  /** Not a message of any kind. */
  String JUNK = "\u0001not a message";

  private static Presence.Server server(String id, @Nullable Duration beat) {
    return new Presence.Server("host", 7, id, 10, Map.of("q", 3), false, "active", NOON, 1, beat);
  }

  @Test
  default void i01_i02_queuesAreNamedInTheirOrder() {
    assertThat(inspector().queues()).isEmpty();
    enqueue("a", "t", "p", o -> o.queue("z"));
    enqueue("b", "t", "p");

    assertThat(inspector().queues()).containsExactly("q", "z");
  }

  @Test
  default void i03_i04_i05_i06_fixesW31_aQueueIsRemovedWhenItIsEmptyOrByForce() {
    redis().enqueue("a");
    assertThatThrownBy(() -> inspector().queue("q").remove(false))
        .isInstanceOf(QueueNotEmptyException.class)
        .hasMessageContaining("pending");
    redis().claimOne();
    assertThatThrownBy(() -> inspector().queue("q").remove(true))
        .isInstanceOf(QueueNotEmptyException.class)
        .hasMessageContaining("active");
    redis().clock.advance(Duration.ofMinutes(1));
    redis().recover();

    inspector().queue("q").remove(true);

    assertThat(inspector().queues()).isEmpty();
    assertThatThrownBy(() -> inspector().queue("q").remove(true))
        .isInstanceOf(QueueNotFoundException.class);
  }

  @Test
  default void i07_i08_i09_aQueueIsShownAsItIsAtOneInstant() {
    for (TaskState state : TaskState.values()) {
      redis().seed(state, state.word(), T + 10);
    }
    redis()
        .raw(Command.HSET, RedisKeys.task(Q, "pending"), "pending_since", (T - 15) + "000000000");
    redis().raw(Command.SET, key("processed"), "9");
    redis().raw(Command.SET, key("failed"), "4");
    redis().raw(Command.SET, key("processed:2100-01-01"), "3");
    redis().raw(Command.SET, key("failed:2100-01-01"), "2");

    QueueSnapshot queue = inspector().queue("q").snapshot();

    assertThat(queue.at()).isEqualTo(NOON);
    assertThat(queue.size()).isEqualTo(7);
    assertThat(queue.sizes()).hasSize(7).containsEntry(TaskState.AGGREGATING, 1L);
    assertThat(queue.groups()).isEqualTo(1);
    assertThat(queue.latency()).isEqualTo(Duration.ofSeconds(15));
    assertThat(List.of(queue.processedToday(), queue.failedToday())).containsExactly(3L, 2L);
    assertThat(List.of(queue.processed(), queue.failed())).containsExactly(9L, 4L);
    assertThat(queue.paused()).isFalse();

    inspector().queue("q").pause();
    redis().clock.advance(Duration.ofSeconds(5));
    assertThat(inspector().queue("q").snapshot().pausedSince()).isEqualTo(NOON);
  }

  @Test
  default void i44_pausesAndLimitsMayBeSetBeforeThereIsAQueue() {
    assertThat(inspector().queue("q").pause()).isTrue();
    assertThat(inspector().queue("q").pause()).isFalse();
    assertThat(inspector().queue("q").resume()).isTrue();
    assertThat(inspector().queue("q").resume()).isFalse();
    assertThat(inspector().queue("q").limits()).isEqualTo(QueueLimits.NONE);
    QueueLimits two = QueueLimits.NONE.withMaxActive(2);
    inspector().queue("q").setLimits(two);
    assertThat(inspector().queue("q").limits()).isEqualTo(two);
    redis().enqueue("a", "b", "c");

    assertThat(redis().claimBatch(3, QueueRules.NONE).claims()).hasSize(2);

    inspector().queue("q").setLimits(two.withOrdered(true));
    assertThat(inspector().queue("q").limits().ordered()).contains(true);
    inspector().queue("q").setLimits(QueueLimits.NONE);
    assertThat(redis().claim(3)).hasSize(1);
    assertThatThrownBy(() -> new QueueLimits(OptionalInt.of(-1), two.ordered(), two.rate()))
        .hasMessageContaining("-1");
  }

  @Test
  default void i11_historyIsOfUtcDaysAsTheyFallInAnyZone() {
    redis().raw(Command.SADD, RedisKeys.QUEUES, "q");
    redis().raw(Command.SET, key("processed:2100-01-01"), "3");
    redis().raw(Command.SET, key("failed:2100-01-01"), "1");
    redis().raw(Command.SET, key("processed:2099-12-31"), "7");

    assertThat(inspector().queue("q").history(90)).hasSize(90);
    assertThat(inspector().queue("q").history(7)).hasSize(7);
    DayCount today = inspector().queue("q").history(1).get(0);
    assertThat(today.date()).isEqualTo(LocalDate.parse("2100-01-01"));
    assertThat(List.of(today.processed(), today.failed())).containsExactly(3L, 1L);
    assertThat(today.from().toLocalTime()).hasToString("00:00");

    List<DayCount> inTokyo = inspector().queue("q").history(2, ZoneId.of("Asia/Tokyo"));
    assertThat(inTokyo.get(1).date()).isEqualTo(LocalDate.parse("2099-12-31"));
    assertThat(inTokyo.get(1).processed()).isEqualTo(7);
    assertThat(inTokyo.get(1).from()).hasToString("2099-12-31T09:00+09:00[Asia/Tokyo]");
    assertThat(inTokyo.get(1).until()).isEqualTo(inTokyo.get(0).from());
    // So far east that noon in Greenwich is tomorrow.
    assertThat(inspector().queue("q").history(1, ZoneId.of("Pacific/Kiritimati")).get(0).date())
        .isEqualTo(LocalDate.parse("2100-01-02"));
    assertThatThrownBy(() -> inspector().queue("q").history(0)).hasMessageContaining("0");
    assertThatThrownBy(() -> inspector().queue("q").history(1_001)).hasMessageContaining("1,001");
  }

  @Test
  default void i43_groupsMemorySlotAndNodesAreShown() {
    enqueue("a", "t", "p", o -> o.group("g"));
    enqueue("b", "t", "p", o -> o.group("g"));

    assertThat(inspector().queue("q").groups()).containsExactly(Map.entry("g", 2L));
    assertThat(inspector().queue("q").memoryUsage().orElseThrow()).isPositive();
    assertThat(inspector().queue("q").slot()).isEqualTo(RedisKeys.slot("{q}"));
    assertThat(inspector().queue("q").nodes().isEmpty())
        .isEqualTo(redis().server.primaries().size() == 1);
    assertThat(inspector().redisInfo()).containsKey("redis_version");
  }

  @Test
  default void i05_i10_i13_i21_i26_i33_i36_i38_i40_fixesW32_anUnknownQueueIsAlwaysReportedAsSuch() {
    List<ThrowingCallable> calls =
        List.of(
            () -> inspector().queue("none").snapshot(),
            () -> inspector().queue("none").memoryUsage(),
            () -> inspector().queue("none").history(1),
            () -> inspector().queue("none").groups(),
            () -> inspector().queue("none").remove(true),
            () -> inspector().queue("none").task("a"),
            () -> inspector().queue("none").tasks(TaskState.PENDING, PageRequest.first(1)),
            () -> inspector().queue("none").groupTasks("g", PageRequest.first(1)),
            () -> inspector().queue("none").select(TaskState.ARCHIVED).find(1),
            () -> inspector().queue("none").select(TaskState.AGGREGATING).count(),
            () -> inspector().queue("none").select(TaskState.ARCHIVED).run(),
            () -> inspector().queue("none").explain("a"),
            () -> inspector().queue("none").run("a"),
            () -> inspector().queue("none").archive("a"),
            () -> inspector().queue("none").delete(List.of("a")),
            () -> inspector().queue("none").reschedule("a", NOON),
            () -> inspector().queue("none").runAll(TaskState.RETRY),
            () -> inspector().queue("none").archiveAll(TaskState.RETRY),
            () -> inspector().queue("none").deleteAll(TaskState.AGGREGATING),
            () -> inspector().queue("none").cancel("a"),
            () -> inspector().queue("none").updatePayload("a", Payload.absent()),
            () -> inspector().queue("none").move("a", "other"),
            () -> inspector().queue("none").copy("a"));

    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(QueueNotFoundException.class)
          .hasMessageContaining("\"none\"");
    }
    assertThat(redis().world()).isEmpty();
    assertThatThrownBy(() -> inspector().queue(" ").snapshot())
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  default void i45_serversAreShownWithTheirWorkersAndTheAgeOfTheirHeartbeat() {
    Presence.Worker worker =
        new Presence.Worker(
            "host", 7, "ours", "a", "t", Payload.ofUtf8("p"), Q, NOON, NOON.plusSeconds(30));
    redis()
        .presence()
        .show(server("ours", Duration.ofSeconds(20)), List.of(worker), Duration.ofSeconds(40));
    redis().presence().show(server("go's", null), List.of(), Duration.ofSeconds(10));
    redis().clock.advance(Duration.ofSeconds(4));

    List<ServerSnapshot> servers = inspector().servers();

    assertThat(servers).extracting(ServerSnapshot::id).containsExactly("go's", "ours");
    assertThat(servers)
        .allSatisfy(
            server -> {
              assertThat(server.heartbeatAge()).isEqualTo(Duration.ofSeconds(4));
              assertThat(server.serves(Q)).isTrue();
              assertThat(server.serves(QueueName.of("other"))).isFalse();
            });
    assertThat(servers.get(0).workers()).isEmpty();
    assertThat(servers.get(1).workers())
        .containsExactly(
            WorkerSnapshot.builder("a")
                .taskType("t")
                .taskPayload(Payload.ofUtf8("p"))
                .queue("q")
                .started(NOON)
                .deadline(NOON.plusSeconds(30))
                .build());
    redis().clock.advance(Duration.ofSeconds(8));
    assertThat(inspector().servers()).extracting(ServerSnapshot::id).containsExactly("ours");
  }

  @Test
  default void i41_entriesOfSchedulersAreShownWithWhatTheyEnqueued() {
    redis()
        .presence()
        .showEntries(
            "s",
            List.of(
                new Presence.SchedulerEntry(
                    "e",
                    "@every 30s",
                    "t",
                    Payload.ofUtf8("p"),
                    List.of("Queue(\"q\")", "Odd(1)"),
                    NOON.plusSeconds(30),
                    NOON)),
            Duration.ofSeconds(20));
    redis().presence().recordEvent("e", new Presence.SchedulerEvent("1", NOON));
    redis().presence().recordEvent("e", new Presence.SchedulerEvent("2", NOON.plusSeconds(30)));

    assertThat(inspector().schedules())
        .containsExactly(
            ScheduleSnapshot.builder("e", "@every 30s")
                .taskType("t")
                .taskPayload(Payload.ofUtf8("p"))
                .options(TaskOptions.of(o -> o.queue("q")))
                .unreadOptions(List.of("Odd(1)"))
                .next(NOON.plusSeconds(30))
                .previous(NOON)
                .isLive(true)
                .build());
    assertThat(inspector().scheduleHistory("e", 0, 10))
        .containsExactly(
            new ScheduleEvent("2", NOON.plusSeconds(30), null), new ScheduleEvent("1", NOON, null));
    assertThat(inspector().scheduleHistory("e", 1, 10)).hasSize(1);
    assertThat(inspector().scheduleHistory("unknown", 0, 10)).isEmpty();
    assertThatThrownBy(() -> inspector().scheduleHistory("e", 0, 0)).hasMessageContaining("0");
  }

  @Test
  default void aServerOrWorkerThatCannotBeReadIsShownAsBrokenBesideTheOthers() {
    Presence.Worker worker =
        new Presence.Worker("host", 7, "ours", "a", "t", Payload.absent(), Q, NOON, NOON);
    redis().presence().show(server("ours", null), List.of(worker), Duration.ofSeconds(10));
    redis().raw(Command.HSET, RedisKeys.workers("host", 7, "ours"), "b", JUNK);
    String until = Long.toString(NOON.getEpochSecond() + 10);
    String junk = RedisKeys.server("host", 8, "junk");
    redis().raw(Command.ZADD, RedisKeys.SERVERS, until, junk);
    redis().raw(Command.SET, junk, JUNK);
    String wrongType = RedisKeys.server("host", 9, "list");
    redis().raw(Command.ZADD, RedisKeys.SERVERS, until, wrongType);
    redis().raw(Command.LPUSH, wrongType, "x");
    redis().raw(Command.ZADD, RedisKeys.WORKERS, until, RedisKeys.workers("host", 9, "list"));
    redis().raw(Command.SET, RedisKeys.workers("host", 9, "list"), "x");

    assertThat(inspector().servers())
        .satisfiesExactly(
            ours -> {
              assertThat(ours.problem()).isNull();
              assertThat(ours.workers())
                  .satisfiesExactlyInAnyOrder(
                      a -> assertThat(a.problem()).isNull(),
                      b -> {
                        assertThat(b.taskId()).isEqualTo("b");
                        assertThat(b.problem()).isNotBlank();
                      });
            },
            broken -> {
              assertThat(broken.host()).isEqualTo("host");
              assertThat(broken.pid()).isEqualTo(8);
              assertThat(broken.id()).isEqualTo("junk");
              assertThat(broken.status()).isEqualTo("broken");
              assertThat(broken.problem()).startsWith("not a valid message");
            },
            broken -> {
              assertThat(broken.id()).isEqualTo("list");
              assertThat(broken.problem()).contains("WRONGTYPE");
              assertThat(broken.workers())
                  .singleElement()
                  .satisfies(one -> assertThat(one.problem()).contains("WRONGTYPE"));
            });
  }

  @Test
  default void anEntryThatASchedulerShowsUnreadablyIsShownAsBrokenBesideTheOthers() {
    Presence.SchedulerEntry good =
        new Presence.SchedulerEntry("good", "@daily", "t", Payload.absent(), List.of(), null, null);
    redis().presence().showEntries("host:1:s", List.of(good), Duration.ofSeconds(20));
    String key = RedisKeys.scheduler("host:1:s");
    byte[] cutOff =
        Arrays.copyOf(PresenceCodec.encode(good), PresenceCodec.encode(good).length - 1);
    redis()
        .link
        .call(key, ResendPolicy.NEVER, Command.RPUSH, new CommandArgs().add(key).add(cutOff));
    redis().raw(Command.RPUSH, key, JUNK, JUNK);
    String wrongType = RedisKeys.scheduler("host:2:w");
    redis().raw(Command.ZADD, RedisKeys.SCHEDULERS, "" + (NOON.getEpochSecond() + 20), wrongType);
    redis().raw(Command.SET, wrongType, "x");

    List<ScheduleSnapshot> rows = inspector().schedules();

    assertThat(rows)
        .extracting(ScheduleSnapshot::id)
        .containsExactly("good", "good", "host:1:s#1", "host:1:s#2", "host:2:w#1");
    assertThat(rows).filteredOn(row -> row.problem() == null).hasSize(1);
    assertThat(rows)
        .filteredOn(row -> row.problem() != null)
        .allSatisfy(
            row -> {
              assertThat(row.problem()).isNotBlank();
              assertThat(row.isLive()).isTrue();
              assertThat(row.isRemembered()).isFalse();
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"rubbish", "-1", "99999999999999999999", "9223372036854775807", "1e300", "NaN"})
  default void anEntryWhoseStateCannotBeReadIsShownAsBrokenAndCanBeForgotten(String time) {
    redis()
        .broker
        .schedules()
        .enroll(
            List.of(
                new ScheduleLedger.Entry("bad", Q, "@daily"),
                new ScheduleLedger.Entry("good", Q, "@daily")));
    redis().raw(Command.HSET, key("schedules"), "from:bad", time);

    assertThat(inspector().schedules())
        .satisfiesExactly(
            bad -> {
              assertThat(bad.id()).isEqualTo("bad");
              assertThat(bad.options().queue()).isEqualTo(Q);
              assertThat(bad.problem()).isEqualTo("not a time: \"" + time + "\"");
            },
            good -> {
              assertThat(good.id()).isEqualTo("good");
              assertThat(good.problem()).isNull();
            });

    inspector().forgetSchedule("bad");

    assertThat(inspector().schedules()).extracting(ScheduleSnapshot::id).containsExactly("good");
  }

  @Test
  default void anEntryWhoseQueueCannotBeReadIsShownAsBrokenAndCanBeForgotten() {
    redis().broker.schedules().enroll(List.of(new ScheduleLedger.Entry("good", Q, "@daily")));
    redis().raw(Command.HSET, RedisKeys.SCHEDULES, "no-queue", " ", "wrong-type", "other", "", "x");
    redis().raw(Command.SET, RedisKeys.of(QueueName.of("other"), "schedules"), "x");

    assertThat(inspector().schedules())
        .satisfiesExactly(
            good -> assertThat(good.problem()).isNull(),
            bad -> {
              assertThat(bad.id()).isEqualTo("no-queue");
              assertThat(bad.problem()).isNotBlank();
            },
            bad -> {
              assertThat(bad.id()).isEqualTo("wrong-type");
              assertThat(bad.problem()).contains("WRONGTYPE");
            });

    inspector().forgetSchedule("no-queue");
    inspector().forgetSchedule("wrong-type");

    assertThat(inspector().schedules()).extracting(ScheduleSnapshot::id).containsExactly("good");
    assertThatThrownBy(() -> inspector().forgetSchedule("no-queue"))
        .isInstanceOf(ScheduleNotFoundException.class);
  }

  @Test
  default void aQueueWhoseEntriesCannotBeReadStopsNoEntriesOfOthers() {
    redis().raw(Command.SET, key("schedules"), "x");
    List<ScheduleLedger.Entry> entries =
        List.of(
            new ScheduleLedger.Entry("bad", Q, "@daily"),
            new ScheduleLedger.Entry("good", QueueName.of("other"), "@daily"));

    assertThat(redis().broker.schedules().enroll(entries)).containsOnlyKeys("good");
    assertThat(redis().broker.schedules().look(entries)).containsOnlyKeys("good");
  }

  @Test
  default void aQueueIsUnclaimedIfItHasDueTasksButNoLiveLease() {
    redis().enqueue("a", "b");
    redis().clock.advance(Duration.ofMinutes(5));
    assertThat(inspector().queue("q").isUnclaimed()).isFalse();

    redis().clock.advance(Duration.ofSeconds(1));
    assertThat(inspector().queue("q").isUnclaimed()).isTrue();

    inspector().queue("q").pause();
    assertThat(inspector().queue("q").isUnclaimed()).isFalse();
    inspector().queue("q").resume();
    redis().claimOne();
    assertThat(inspector().queue("q").isUnclaimed()).isFalse();
    redis().clock.advance(BrokerFixture.LEASE.plusSeconds(1));
    assertThat(inspector().queue("q").isUnclaimed()).isTrue();
  }

  @Test
  default void aTaskGroupOrCounterThatCannotBeReadHidesNoOther() {
    redis().enqueue(redis().task("bad", o -> o), redis().task("good", o -> o));
    redis().enqueue(redis().task("grouped", o -> o.group("good")));
    redis().raw(Command.DEL, RedisKeys.task(Q, "bad"));
    redis().raw(Command.SET, RedisKeys.task(Q, "bad"), "x");
    redis().raw(Command.SADD, key("groups"), "bad");
    redis().raw(Command.SET, key("g:bad"), "x");
    String today = LocalDate.ofInstant(NOON, ZoneOffset.UTC).toString();
    redis().raw(Command.SET, key("processed:" + today), "x");
    redis().raw(Command.SET, key("failed"), "x");

    TaskPage page = inspector().queue("q").tasks(TaskState.PENDING, PageRequest.first(10));
    assertThat(page.tasks()).extracting(TaskInfo::id).containsExactly("good");
    assertThat(page.unreadable()).containsExactly("bad");
    assertThat(inspector().queue("q").groups())
        .containsExactly(entry("bad", -1L), entry("good", 1L));
    assertThat(inspector().queue("q").unaggregatedGroups()).isEmpty();
    assertThat(inspector().queue("q").select(TaskState.AGGREGATING).find(10).tasks())
        .extracting(TaskInfo::id)
        .containsExactly("grouped");
    QueueSnapshot queue = inspector().queue("q").snapshot();
    assertThat(queue.size(TaskState.PENDING)).isEqualTo(2);
    assertThat(queue.size(TaskState.AGGREGATING)).isEqualTo(1);
    assertThat(queue.processedToday()).isZero();
    assertThat(inspector().queue("q").history(2)).hasSize(2);
  }

  @Test
  default void entriesOfSchedulersArePausedResumedRunAndForgotten() {
    Scheduler scheduler =
        SchedulerAccess.broker(redis().broker)
            .add("e", Schedule.of("@every 10s"), Task.of("t", Payload.ofUtf8("p")))
            .build();
    SchedulerAccess.round(scheduler);

    assertThat(inspector().pauseSchedule("e")).isTrue();
    assertThat(inspector().pauseSchedule("e")).isFalse();
    redis().clock.advance(Duration.ofSeconds(11));
    SchedulerAccess.round(scheduler);
    assertThat(inspector().queues()).isEmpty();
    assertThat(inspector().schedules())
        .singleElement()
        .satisfies(
            entry -> {
              assertThat(entry.pausedSince()).isEqualTo(NOON);
              assertThat(entry.isLive()).isTrue();
              assertThat(entry.isRemembered()).isTrue();
              assertThat(entry.taskType()).isEqualTo("t");
            });

    inspector().runSchedule("e");
    redis().clock.advance(Duration.ofSeconds(2));
    SchedulerAccess.round(scheduler);
    assertThat(inspector().queue("default").snapshot().size(TaskState.PENDING)).isEqualTo(1);

    assertThat(inspector().resumeSchedule("e")).isTrue();
    assertThat(inspector().resumeSchedule("e")).isFalse();
    redis().clock.advance(Duration.ofSeconds(10));
    SchedulerAccess.round(scheduler);
    assertThat(inspector().queue("default").snapshot().size(TaskState.PENDING)).isEqualTo(2);

    SchedulerAccess.end(scheduler);
    assertThat(inspector().schedules())
        .containsExactly(
            ScheduleSnapshot.builder("e", "@every 10s")
                .options(TaskOptions.of(o -> o.queue("default")))
                .previous(NOON.plusSeconds(20))
                .isRemembered(true)
                .build());
    inspector().forgetSchedule("e");
    assertThat(inspector().schedules()).isEmpty();
    assertThatThrownBy(() -> inspector().forgetSchedule("e"))
        .isInstanceOf(ScheduleNotFoundException.class);
    assertThatThrownBy(() -> inspector().pauseSchedule("e"))
        .isInstanceOf(ScheduleNotFoundException.class);
  }

  @Test
  default void absentSubscribersGetNothing() {
    assertThat(inspector().quietServer("nobody")).isFalse();
    assertThat(inspector().stopServer("nobody")).isFalse();
  }
}
