package io.asynq4j.schedule;

import static io.asynq4j.fixture.BrokerFixture.NOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.client.DuplicateTaskException;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.RedisSnapshot;
import io.asynq4j.internal.broker.Presence.SchedulerEntry;
import io.asynq4j.internal.broker.Presence.SchedulerEvent;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.text.OptionTextCodec;
import io.asynq4j.schedule.SchedulerListener.Firing;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol.Command;

/** Schedulers with a settable clock: requirements q01 to q10, and extensions of them. */
public interface SchedulerContract {

  BrokerFixture redis();

  QueueName LOW = QueueName.of("low");
  String INSTANT = "instant";
  Task TASK = Task.of("t", Payload.ofUtf8("p"));

  private static ScheduleEntry every(String name, String period) {
    return ScheduleEntry.of(name, Schedule.of("@every " + period), TASK).with(o -> o.queue("low"));
  }

  private static ScheduleEntry cron(String spec, MissedPolicy policy) {
    return ScheduleEntry.of("e", Schedule.cron(spec), TASK)
        .with(o -> o.queue("low"))
        .missed(policy);
  }

  private Scheduler.Builder builder() {
    return SchedulerAccess.broker(redis().broker).instantHeader(INSTANT);
  }

  private Scheduler scheduler(ScheduleEntry... entries) {
    Scheduler.Builder builder = builder();
    for (ScheduleEntry entry : entries) {
      builder.add(entry);
    }
    return builder.build();
  }

  /** Advances the clock, second by second. */
  private void pass(int seconds, Scheduler... schedulers) {
    for (int i = 0; i < seconds; i++) {
      redis().clock.advance(Duration.ofSeconds(1));
      rounds(schedulers);
    }
  }

  private static void rounds(Scheduler... schedulers) {
    for (Scheduler scheduler : schedulers) {
      SchedulerAccess.round(scheduler);
    }
  }

  private List<TaskInfo> pending() {
    return redis().queues().names().contains("low")
        ? redis().tasks().list(LOW, Listing.first(TaskState.PENDING, 1_000)).tasks()
        : List.of();
  }

  /** The instants that were fired, as seconds after noon. */
  private List<Long> fired() {
    return pending().stream()
        .map(task -> Instant.parse(task.headers().getOrDefault(INSTANT, "")))
        .map(instant -> Duration.between(NOON, instant).toSeconds())
        .toList();
  }

  // ---- the original's checklist ----

  @Test
  default void q01_q05_anEntryFiresAtItsInstantsWithItsOptionsAndTheListenersHearOfIt() {
    Recorder recorder = new Recorder();
    Scheduler scheduler =
        SchedulerAccess.broker(redis().broker)
            .add(every("e", "3s").with(o -> o.maxRetry(5).timeout(Duration.ofMinutes(1))))
            .listener(recorder)
            .build();
    rounds(scheduler);

    pass(10, scheduler);

    assertThat(pending())
        .hasSize(3)
        .allSatisfy(
            task -> {
              assertThat(task.type()).isEqualTo("t");
              assertThat(task.payload()).isEqualTo(Payload.ofUtf8("p"));
              assertThat(task.maxRetry()).isEqualTo(5);
              assertThat(task.timeout()).isEqualTo(Duration.ofMinutes(1));
              assertThat(task.headers()).isEmpty();
            });
    assertThat(recorder.received)
        .containsExactly(
            "before 3", "enqueued 3", "before 6", "enqueued 6", "before 9", "enqueued 9");
    assertThat(recorder.firings)
        .extracting(Firing::taskId)
        .containsExactlyElementsOf(pending().stream().map(TaskInfo::id).toList());
  }

  @Test
  default void q04_anEntryThatWasRemovedFiresNothingAndIsForgotten() {
    Scheduler scheduler = scheduler(every("e", "3s"));
    rounds(scheduler);
    pass(3, scheduler);

    assertThat(scheduler.remove("e")).isTrue();
    assertThat(scheduler.remove("e")).isFalse();
    pass(10, scheduler);

    assertThat(fired()).containsExactly(3L);
    assertThat(redis().broker.schedules().known(broken -> {})).isEmpty();
    assertThat(redis().presence().schedulerEntries(unreadable -> {})).isEmpty();
  }

  @Test
  default void anEntryMayBeAddedWhileItRuns() {
    Scheduler scheduler = scheduler(every("a", "10s"));
    rounds(scheduler);
    pass(2, scheduler);

    scheduler.add(every("b", "3s"));
    rounds(scheduler);
    pass(4, scheduler);

    assertThat(fired()).containsExactly(5L);
    assertThat(scheduler.entries()).extracting(ScheduleEntry::name).containsExactly("a", "b");
  }

  @Test
  default void q10_entriesOfASourceComeAndGo() {
    List<ScheduleEntry> table = new ArrayList<>(List.of(every("a", "2s")));
    Scheduler scheduler = builder().source(() -> table).build();
    SchedulerAccess.askSource(scheduler);
    rounds(scheduler);
    pass(2, scheduler);
    assertThat(fired()).containsExactly(2L);

    table.add(every("b", "3s"));
    SchedulerAccess.askSource(scheduler);
    rounds(scheduler);
    pass(3, scheduler);
    assertThat(fired()).containsExactly(2L, 4L, 5L);

    table.remove(0);
    SchedulerAccess.askSource(scheduler);
    rounds(scheduler);
    assertThat(redis().presence().schedulerEntries(unreadable -> {}))
        .extracting(SchedulerEntry::id)
        .containsExactly("b");
    pass(4, scheduler);
    assertThat(fired()).containsExactly(2L, 4L, 5L, 8L);

    table.clear();
    SchedulerAccess.askSource(scheduler);
    rounds(scheduler);
    pass(4, scheduler);
    assertThat(fired()).hasSize(4);
    assertThat(redis().broker.schedules().known(broken -> {})).isEmpty();
  }

  @Test
  default void q08_whatASourceNamesUnchangedKeepsItsPhase() {
    Scheduler scheduler =
        builder()
            .source(
                () ->
                    List.of(
                        ScheduleEntry.of("e", Schedule.of("@every 10s"), TASK)
                            .with(o -> o.maxRetry(3).queue("low"))))
            .build();
    SchedulerAccess.askSource(scheduler);
    rounds(scheduler);
    pass(7, scheduler);
    SchedulerAccess.askSource(scheduler);
    rounds(scheduler);

    pass(5, scheduler);

    assertThat(fired()).containsExactly(10L);
    assertThat(every("e", "10s").with(o -> o.maxRetry(3).retention(Duration.ofDays(1))))
        .isEqualTo(every("e", "10s").with(o -> o.retention(Duration.ofDays(1)).maxRetry(3)));
  }

  @Test
  default void q09_fixesW37_whateverChangesInASourceIsNoticed() {
    ScheduleEntry first = every("e", "10s");
    List<ScheduleEntry> changes =
        List.of(
            every("e", "11s"),
            ScheduleEntry.of("e", first.schedule(), Task.of("u"), first.options()),
            ScheduleEntry.of(
                "e", first.schedule(), Task.of("t", Payload.ofUtf8("q")), first.options()),
            first.with(o -> o.maxRetry(1)),
            first.with(o -> o.header("a", "b")),
            ScheduleEntry.of(
                "e", first.schedule(), TASK.withHeaders(Map.of("a", "b")), first.options()),
            first.missed(MissedPolicy.runOnce()));
    List<ScheduleEntry> table = new ArrayList<>();
    Scheduler scheduler = builder().source(() -> table).build();

    for (ScheduleEntry change : changes) {
      table.clear();
      table.add(first);
      SchedulerAccess.askSource(scheduler);
      assertThat(scheduler.entries()).containsExactly(first);
      table.set(0, change);
      SchedulerAccess.askSource(scheduler);
      assertThat(scheduler.entries()).containsExactly(change).doesNotContain(first);
    }
  }

  @Test
  default void fixesW37_twoEntriesOfOneNameAreRefused() {
    List<ScheduleEntry> table = new ArrayList<>(List.of(every("a", "5s")));
    Scheduler scheduler = builder().add(every("e", "3s")).source(() -> table).build();
    SchedulerAccess.askSource(scheduler);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> scheduler.add(every("a", "4s")))
        .withMessageContaining("\"a\"");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder().add(every("a", "3s")).add(every("a", "4s")).build());

    table.add(every("a", "1s"));
    SchedulerAccess.askSource(scheduler);
    table.set(1, every("e", "1s"));
    SchedulerAccess.askSource(scheduler);
    assertThat(scheduler.entries()).containsExactly(every("e", "3s"), every("a", "5s"));
  }

  @Test
  default void aSourceThatFailsChangesNothing() {
    boolean[] broken = {false};
    Scheduler scheduler =
        builder()
            .source(
                () -> {
                  if (broken[0]) {
                    throw new IOException("no database");
                  }
                  return List.of(every("e", "3s"));
                })
            .build();
    SchedulerAccess.askSource(scheduler);
    broken[0] = true;
    SchedulerAccess.askSource(scheduler);
    rounds(scheduler);

    pass(3, scheduler);

    assertThat(fired()).containsExactly(3L);
  }

  // ---- what others see ----

  @Test
  default void fixesW36_fixesW51_entriesAreShownAtOnceUnderTheirNamesWithAllOptions() {
    TaskType<Void> type = TaskType.of("report").with(o -> o.queue("low").maxRetry(2));
    ScheduleEntry entry =
        ScheduleEntry.of("nightly", Schedule.cron("0 3 * * *", ZoneId.of("Europe/Oslo")), type);
    Scheduler scheduler = scheduler(entry.with(o -> o.header("from", "cron")), every("e", "3s"));
    rounds(scheduler);

    assertThat(redis().presence().schedulerEntries(unreadable -> {}))
        .containsExactlyInAnyOrder(
            new SchedulerEntry(
                "nightly",
                "CRON_TZ=Europe/Oslo 0 3 * * *",
                "report",
                Payload.absent(),
                List.of("Queue(\"low\")", "MaxRetry(2)", "Header([\"from\",\"cron\"])"),
                Instant.parse("2100-01-02T02:00:00Z"),
                null),
            new SchedulerEntry(
                "e",
                "@every 3s",
                "t",
                Payload.ofUtf8("p"),
                OptionTextCodec.of(every("e", "3s").options(), Map.of()),
                NOON.plusSeconds(3),
                null));

    pass(11, scheduler);
    assertThat(redis().presence().schedulerEntries(unreadable -> {}))
        .filteredOn(shown -> shown.id().equals("e"))
        .singleElement()
        .satisfies(
            shown -> {
              assertThat(shown.previous()).isEqualTo(NOON.plusSeconds(9));
              assertThat(shown.next()).isEqualTo(NOON.plusSeconds(12));
            });
  }

  @Test
  default void fixesW36_theHistoryOutlivesTheScheduler() {
    Scheduler scheduler = scheduler(every("e", "3s"));
    rounds(scheduler);
    pass(6, scheduler);
    SchedulerAccess.end(scheduler);

    assertThat(redis().presence().events("e", 0, 10))
        .extracting(SchedulerEvent::enqueuedAt)
        .containsExactly(NOON.plusSeconds(6), NOON.plusSeconds(3));
    assertThat(redis().presence().schedulerEntries(unreadable -> {})).isEmpty();
  }

  @Test
  default void fixesW34_partsOfSecondsDoNotKeepEntriesFromBeingShown() {
    Scheduler scheduler =
        builder().add(every("e", "3s")).heartbeat(Duration.ofMillis(1_300)).build();

    rounds(scheduler);

    assertThat(redis().presence().schedulerEntries(unreadable -> {})).hasSize(1);
    assertThat(ReplyParser.number(redis().raw(Command.TTL, RedisKeys.scheduler(scheduler.id()))))
        .isBetween(2L, 3L);
  }

  // ---- replicas ----

  @Test
  default void replicasFireEachInstantOnceAndOneShowsTheEntries() {
    Scheduler one = scheduler(every("e", "1s"));
    Scheduler two = scheduler(every("e", "1s"));
    Scheduler three = scheduler(every("e", "1s"));
    rounds(one, two, three);

    pass(5, three, one, two);

    assertThat(fired()).containsExactly(1L, 2L, 3L, 4L, 5L);
    assertThat(List.of(one.isLeading(), two.isLeading(), three.isLeading()))
        .containsExactly(true, false, false);
    assertThat(redis().presence().schedulerEntries(unreadable -> {})).hasSize(1);
  }

  @Test
  default void anotherSchedulerContinuesWhereTheLeaderStopped() {
    Scheduler one = scheduler(every("e", "10s"));
    Scheduler two = scheduler(every("e", "10s"));
    rounds(one, two);
    pass(14, one, two);

    SchedulerAccess.end(one);
    pass(10, two);

    assertThat(two.isLeading()).isTrue();
    assertThat(fired()).containsExactly(10L, 20L);
  }

  @Test
  default void twoLeadersAtOnceFireAnInstantOnce() {
    redis().clock.advance(Duration.ofMillis(600));
    Scheduler one = scheduler(every("e", "1s"));
    Scheduler two = scheduler(every("e", "1s"));
    rounds(one);
    forgetLeaders();
    rounds(two);
    assertThat(one.isLeading() && two.isLeading()).isTrue();

    redis().clock.advance(Duration.ofMillis(500));
    rounds(one, two);

    assertThat(fired()).containsExactly(1L);
  }

  private void forgetLeaders() {
    RedisSnapshot.of(redis().server).entries().keySet().stream()
        .filter(key -> key.startsWith("asynq:scheduler_leader:"))
        .forEach(key -> redis().raw(Command.DEL, key));
  }

  @Test
  default void aLeaderThatSleptForAMinuteFiresNothingAgainAlsoWhenItsTasksAreGone() {
    redis().clock.advance(Duration.ofMillis(600));
    Scheduler asleep = builder().add(every("e", "1s").missed(MissedPolicy.runAll(100))).build();
    Scheduler awake = builder().add(every("e", "1s").missed(MissedPolicy.runAll(100))).build();
    rounds(asleep);
    forgetLeaders();
    rounds(awake);
    pass(60, awake);
    List<String> ids = pending().stream().map(TaskInfo::id).toList();
    assertThat(ids).hasSize(60);
    redis().actions().delete(LOW, ids);
    redis().clock.advance(Duration.ofMillis(400));
    forgetLeaders();

    rounds(asleep, awake, asleep);

    assertThat(fired()).containsExactly(61L);
  }

  @Test
  default void schedulersWithOtherEntriesDoNotWaitForEachOther() {
    Scheduler one = scheduler(every("a", "2s"));
    Scheduler two = scheduler(every("b", "3s"));
    Scheduler both = scheduler(every("a", "2s"), every("b", "3s"));
    rounds(one, two, both);

    pass(6, one, both, two);

    assertThat(fired()).containsExactlyInAnyOrder(2L, 3L, 4L, 6L, 6L);
  }

  @Test
  default void withoutLeaderEveryoneFiresAsInTheOriginal() {
    Scheduler one = builder().add(every("e", "3s")).withoutLeader().build();
    Scheduler two = builder().add(every("e", "3s")).withoutLeader().build();
    rounds(one, two);

    pass(6, one, two);

    assertThat(fired()).containsExactly(3L, 3L, 6L, 6L);
    assertThat(redis().presence().schedulerEntries(unreadable -> {})).hasSize(2);
    assertThat(redis().world()).doesNotContain("asynq:schedules:", "leader");
  }

  // ---- restarts, and what was missed ----

  private void restartAfter(int seconds, ScheduleEntry entry) {
    Scheduler before = scheduler(entry);
    rounds(before);
    SchedulerAccess.end(before);
    redis().clock.advance(Duration.ofSeconds(seconds));
    Scheduler after = scheduler(entry);
    rounds(after);
    SchedulerAccess.end(after);
  }

  @Test
  default void whatWasMissedIsSkippedButForTheLatestWhenItIsALittleLate() {
    restartAfter(5 * 60 + 31, cron("* * * * *", MissedPolicy.skip()));
    assertThat(fired()).isEmpty();

    restartAfter(60 - 2, cron("* * * * *", MissedPolicy.skip()));
    assertThat(fired()).containsExactly(360L);
  }

  @Test
  default void whatWasMissedIsRunOnce() {
    restartAfter(5 * 60 + 59, cron("* * * * *", MissedPolicy.runOnce()));

    assertThat(fired()).containsExactly(300L);
  }

  @Test
  default void whatWasMissedIsAllRunUpToABound() {
    restartAfter(5 * 60 + 59, cron("* * * * *", MissedPolicy.runAll(3)));

    assertThat(fired()).containsExactly(180L, 240L, 300L);
  }

  @Test
  default void moreThanACallCarriesIsMadeUpForInTheirOrder() {
    restartAfter(130, every("e", "1s").missed(MissedPolicy.runAll(1_000)));

    assertThat(fired()).hasSize(130).isSorted().startsWith(1L).endsWith(130L);
  }

  @Test
  default void anIntervalKeepsItsAnchorOverRestarts() {
    restartAfter(25, every("e", "20s"));
    assertThat(fired()).containsExactly(20L);
    Scheduler later = scheduler(every("e", "20s"));
    redis().clock.advance(Duration.ofSeconds(13));

    rounds(later);
    pass(2, later);

    assertThat(fired()).containsExactly(20L, 40L);
  }

  @Test
  default void aNewSpecMakesUpForNothing() {
    Scheduler before = scheduler(cron("0 0 * * *", MissedPolicy.runAll(100)));
    rounds(before);
    SchedulerAccess.end(before);
    redis().clock.advance(Duration.ofHours(1));
    Scheduler after = scheduler(cron("* * * * *", MissedPolicy.runAll(100)));

    rounds(after);
    assertThat(fired()).isEmpty();
    pass(60, after);

    assertThat(fired()).containsExactly(3_660L);
  }

  // ---- operators ----

  @Test
  default void aPausedEntryFiresNothingOverRestartsUntilItIsResumed() {
    ScheduleEntry entry = every("e", "2s").missed(MissedPolicy.runAll(100));
    Scheduler scheduler = scheduler(entry);
    rounds(scheduler);
    pass(2, scheduler);

    redis().broker.schedules().pause("e");
    pass(4, scheduler);
    assertThat(redis().presence().schedulerEntries(unreadable -> {}))
        .singleElement()
        .satisfies(shown -> assertThat(shown.next()).isNull());
    SchedulerAccess.end(scheduler);
    Scheduler next = scheduler(entry);
    pass(5, next);
    assertThat(fired()).containsExactly(2L);

    redis().broker.schedules().resume("e");
    pass(3, next);
    assertThat(fired()).containsExactly(2L, 12L, 14L);
  }

  @Test
  default void aRunNowIsDoneOnceBesideTheSchedule() {
    Recorder recorder = new Recorder();
    Scheduler scheduler =
        builder().add(cron("0 0 1 1 *", MissedPolicy.skip())).listener(recorder).build();
    Scheduler replica = scheduler(cron("0 0 1 1 *", MissedPolicy.skip()));
    rounds(scheduler, replica);
    redis().broker.schedules().requestRun("e");

    pass(3, scheduler, replica);

    assertThat(fired()).containsExactly(0L);
    assertThat(recorder.firings).singleElement().satisfies(f -> assertThat(f.requested()).isTrue());
    assertThat(redis().presence().events("e", 0, 10)).hasSize(1);
  }

  @Test
  default void aRunNowRequestThatWasNotReceivedForLongIsDiscarded() {
    ScheduleEntry yearly = cron("0 0 1 1 *", MissedPolicy.skip());
    Scheduler before = scheduler(yearly);
    rounds(before);
    SchedulerAccess.end(before);
    redis().broker.schedules().requestRun("e");
    redis().clock.advance(Duration.ofSeconds(61));

    rounds(scheduler(yearly));

    assertThat(fired()).isEmpty();
  }

  // ---- errors ----

  @Test
  default void aListenerThatThrowsStopsNothing() {
    Scheduler scheduler =
        builder()
            .add(every("e", "1s"))
            .listener(
                new SchedulerListener() {
                  @Override
                  public void beforeEnqueue(Firing firing) {
                    throw new IllegalStateException("before");
                  }

                  @Override
                  public void enqueued(Firing firing) {
                    throw new AssertionError("after");
                  }
                })
            .build();
    rounds(scheduler);

    pass(3, scheduler);

    assertThat(fired()).containsExactly(1L, 2L, 3L);
  }

  @Test
  default void anEntryThatRedisRefusesKeepsNoOtherFromFiring() {
    QueueName broken = QueueName.of("broken");
    redis().raw(Command.SET, RedisKeys.of(broken, "schedules"), "not a hash");
    Scheduler scheduler =
        scheduler(every("e", "1s"), every("f", "1s").with(o -> o.queue("broken")));
    rounds(scheduler);
    pass(3, scheduler);
    assertThat(fired()).containsExactly(1L, 2L, 3L);

    redis().raw(Command.DEL, RedisKeys.of(broken, "schedules"));
    // One heartbeat long: then entries that could not be read are looked at again.
    pass(12, scheduler);

    assertThat(redis().tasks().list(broken, Listing.first(TaskState.PENDING, 1_000)).tasks())
        .isNotEmpty();
    assertThat(fired()).hasSize(15);
  }

  @Test
  default void aQueueThatRedisRefusesToFireForKeepsNoOtherFromFiring() {
    QueueName broken = QueueName.of("broken");
    Recorder recorder = new Recorder();
    Scheduler scheduler =
        builder()
            .add(every("e", "1s").with(o -> o.queue("broken")))
            .add(every("f", "1s"))
            .listener(recorder)
            .build();
    rounds(scheduler);
    redis().raw(Command.SET, RedisKeys.of(broken, "pending"), "not a list");
    pass(3, scheduler);
    assertThat(fired()).containsExactly(1L, 2L, 3L);
    assertThat(recorder.errors).isNotEmpty();

    redis().raw(Command.DEL, RedisKeys.of(broken, "pending"));
    pass(2, scheduler);

    assertThat(redis().tasks().list(broken, Listing.first(TaskState.PENDING, 1_000)).tasks())
        .isNotEmpty();
    assertThat(fired()).hasSize(5);
  }

  @Test
  default void aDuplicateTaskIsReportedAsFailedAndTheEntryContinues() {
    Recorder recorder = new Recorder();
    Scheduler scheduler =
        builder()
            .add(every("e", "1s").with(o -> o.uniqueFor(Duration.ofHours(1))))
            .listener(recorder)
            .build();
    rounds(scheduler);

    pass(3, scheduler);

    assertThat(fired()).containsExactly(1L);
    assertThat(recorder.errors)
        .hasSize(2)
        .allSatisfy(error -> assertThat(error).isInstanceOf(DuplicateTaskException.class));
    assertThat(redis().presence().events("e", 0, 10)).hasSize(1);
  }

  @Test
  default void q06_q07_whatCannotWorkIsRefusedWhenItIsBuilt() {
    assertThatCode(() -> builder().source(List::of).sourceInterval(Duration.ofMinutes(1)).build())
        .doesNotThrowAnyException();
    List<UnaryOperator<Scheduler.Builder>> wrong =
        List.of(
            b -> b.sourceInterval(Duration.ZERO),
            b -> b.heartbeat(Duration.ofMillis(999)),
            b -> b.leaderLease(Duration.ofSeconds(2)),
            b -> b.grace(Duration.ofMillis(-1)),
            b -> b.instantHeader(" "),
            b -> b.add(" ", Schedule.cron("@daily"), TASK));
    wrong.forEach(
        each ->
            assertThatIllegalArgumentException().isThrownBy(() -> each.apply(builder()).build()));
  }

  /** Records the events, with instants as seconds after noon. */
  final class Recorder implements SchedulerListener {
    public Recorder() {}

    public final List<String> received = new ArrayList<>();
    final List<Firing> firings = new ArrayList<>();
    public final List<RuntimeException> errors = new ArrayList<>();

    @Override
    public void beforeEnqueue(Firing firing) {
      received.add("before " + second(firing));
    }

    @Override
    public void enqueued(Firing firing) {
      received.add("enqueued " + second(firing));
      firings.add(firing);
    }

    @Override
    public void failed(Firing firing, RuntimeException error) {
      received.add("failed " + second(firing));
      errors.add(error);
    }

    private static long second(Firing firing) {
      return Duration.between(NOON, firing.instant()).toSeconds();
    }
  }
}
