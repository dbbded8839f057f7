package io.asynq4j.internal.doctor;

import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static io.asynq4j.fixture.BrokerFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.RedisInvariants;
import io.asynq4j.inspect.Diagnosis;
import io.asynq4j.inspect.DoctorOptions;
import io.asynq4j.inspect.Finding;
import io.asynq4j.inspect.FindingKind;
import io.asynq4j.inspect.InspectorAccess;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.inspect.Diagnostics;
import io.asynq4j.internal.broker.inspect.Diagnostics.FindingDetail;
import io.asynq4j.internal.broker.inspect.Diagnostics.Norms;
import io.asynq4j.internal.broker.inspect.Diagnostics.RepairResult;
import io.asynq4j.internal.broker.inspect.Diagnostics.Seen;
import io.asynq4j.internal.broker.inspect.Diagnostics.Subject;
import io.asynq4j.internal.broker.inspect.Diagnostics.SubjectKind;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.redis.codec.MessageCodec;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.store.AggregationContract;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/** The doctor finds and repairs every corruption, and nothing else. */
public interface DoctorContract {

  BrokerFixture redis();

  private Diagnosis diagnose(DoctorOptions.Builder options) {
    return InspectorAccess.broker(redis().broker)
        .doctor(options.lookAgainAfter(Duration.ZERO).build());
  }

  /** A task in every state, a minute ago. */
  private void populate() {
    redis().enqueue("running", "waiting");
    redis().claimOne();
    redis().enqueue(redis().task("later", o -> o.processIn(Duration.ofHours(1))));
    redis().seed(TaskState.RETRY, "failed", T + 500);
    redis().seed(TaskState.ARCHIVED, "given-up", T);
    redis().seed(TaskState.COMPLETED, "done", T + 500);
    redis().enqueue(redis().task("grouped", o -> o.group("busy")));
    redis().enqueue(redis().task("unique", o -> o.uniqueFor(Duration.ofHours(1))));
    redis().clock.advance(Duration.ofMinutes(1));
    // Its lease would be over by now.
    redis().raw(Command.ZADD, key("lease"), "XX", (T + 600) + ".25", "running");
    redis().raw(Command.HSET, RedisKeys.task(Q, "running"), "claim", "250000-x");
  }

  @Test
  default void whereNothingIsAmissNothingIsFoundAndNothingChanged() {
    populate();
    redis().enqueue(redis().task("aggregated", o -> o.group("other")));
    redis().aggregation().aggregate(Q, "other", AggregationContract.AT_ONCE);
    redis()
        .presence()
        .showEntries(
            "s",
            List.of(
                new Presence.SchedulerEntry(
                    "e", "@daily", "t", Payload.absent(), List.of(), null, null)),
            Duration.ofMinutes(1));
    redis().raw(Command.ZADD, RedisKeys.schedulerHistory("e"), "1", "an event");
    redis().raw(Command.SET, RedisKeys.of(QueueName.of("never-used"), "paused"), "1");
    redis().raw(Command.SET, RedisKeys.of(QueueName.of("removed"), "processed"), "7");
    String before = redis().world();

    Diagnosis diagnosis = diagnose(DoctorOptions.repair().removeUnreadable().trimArchives());

    assertThat(diagnosis.findings()).isEmpty();
    assertThat(diagnosis.isHealthy()).isTrue();
    assertThat(diagnosis.examined()).isGreaterThan(10);
    assertThat(redis().world()).isEqualTo(before);
  }

  private void showServer(String... queues) {
    Map<String, Integer> weights = new HashMap<>();
    for (String queue : queues) {
      weights.put(queue, 1);
    }
    redis()
        .presence()
        .show(
            new Presence.Server("host", 1, "s", 1, weights, false, "active", null, 0, null),
            List.of(),
            Duration.ofMinutes(1));
  }

  private List<String> found() {
    return diagnose(DoctorOptions.dryRun()).findings().stream()
        .map(each -> each.kind() + " " + each.count() + " " + each.sample())
        .toList();
  }

  @Test
  default void tasksThatAreDueAndThatNoServerServesAreFound() {
    redis().enqueue("a", "b");
    redis().enqueue(redis().task("c", o -> o.processIn(Duration.ofHours(1))));
    redis().clock.advance(Duration.ofMinutes(5));
    assertThat(found()).isEmpty();

    redis().clock.advance(Duration.ofSeconds(1));
    assertThat(found()).containsExactly("UNSERVED_QUEUE 3 [q]");
    assertThat(diagnose(DoctorOptions.repair()).findings())
        .extracting(Finding::repaired)
        .containsExactly(0L);

    showServer("other");
    assertThat(found()).containsExactly("UNSERVED_QUEUE 3 [q]");
    showServer("other", "q");
    assertThat(found()).isEmpty();
  }

  @Test
  default void tasksWhoseTimeHasPassedAreDue() {
    redis().enqueue(redis().task("a", o -> o.processIn(Duration.ofHours(1))));
    redis().clock.advance(Duration.ofHours(1));
    assertThat(found()).isEmpty();

    redis().clock.advance(Duration.ofMinutes(6));
    assertThat(found()).containsExactly("UNSERVED_QUEUE 1 [q]");
  }

  @Test
  default void whatIsPausedKeptOrWorkedOnNeedsNoServer() {
    redis().seed(TaskState.ARCHIVED, "archived", T);
    redis().seed(TaskState.COMPLETED, "completed", T + 1_000_000);
    redis().clock.advance(Duration.ofMinutes(10));
    assertThat(found()).isEmpty();

    redis().enqueue("a", "b");
    redis().clock.advance(Duration.ofMinutes(6));
    assertThat(found()).hasSize(1);
    redis().queueControl().pause(Q);
    assertThat(found()).isEmpty();
    redis().queueControl().resume(Q);
    redis().claimOne();
    assertThat(found()).isEmpty();
  }

  @Test
  default void aGroupWithoutAnAggregatorIsFound() {
    showServer("q");
    redis().enqueue(redis().task("a", o -> o.group("g")));
    redis().clock.advance(Duration.ofMinutes(59));
    redis().enqueue(redis().task("b", o -> o.group("g")));
    redis().clock.advance(Duration.ofMinutes(59));
    showServer("q");
    assertThat(found()).isEmpty();

    redis().clock.advance(Duration.ofMinutes(2));
    showServer("q");
    assertThat(found()).containsExactly("UNAGGREGATED_GROUP 1 [g]");
  }

  @ParameterizedTest
  @EnumSource(DataCorruption.class)
  default void everyDamageIsFoundWithoutTouchingItThenPutRightWithoutTouchingOthers(
      DataCorruption damage) {
    populate();
    redis().clock.set(BrokerFixture.NOON);
    damage.inflict.accept(redis());
    redis().clock.advance(Duration.ofMinutes(1));
    String damaged = redis().world();

    Diagnosis dry = diagnose(DoctorOptions.dryRun());

    assertThat(dry.findings()).extracting(Finding::kind).containsExactly(damage.kind);
    Finding finding = dry.findings().get(0);
    assertThat(finding.count()).isEqualTo(1);
    assertThat(finding.left()).isEqualTo(1);
    assertThat(finding.sample()).containsExactly(damage.name);
    assertThat(dry.isHealthy()).isFalse();
    assertThat(redis().world()).isEqualTo(damaged);

    Diagnosis repaired = diagnose(DoctorOptions.repair().trimArchives());

    assertThat(repaired.findings()).hasSize(1);
    assertThat(repaired.findings().get(0).repaired()).isEqualTo(1);
    assertThat(repaired.isHealthy()).isTrue();
    assertThat(redis().world()).contains(damage.healed);
    RedisInvariants.assertHold(redis().server);
    assertThat(diagnose(DoctorOptions.dryRun()).findings()).isEmpty();
  }

  @Test
  default void allDamagesAtOnceArePutRightInOneVisit() {
    populate();
    List<DataCorruption> together =
        List.of(
            DataCorruption.GHOST_PENDING,
            DataCorruption.LOCK_OF_A_TASK_THAT_IS_GONE,
            DataCorruption.SERVER_THAT_IS_GONE,
            DataCorruption.HISTORY_WITHOUT_AN_END,
            DataCorruption.UNREGISTERED);
    together.forEach(damage -> damage.inflict.accept(redis()));
    for (int i = 0; i < 120; i++) {
      redis().seedRecord(TaskState.RETRY, "lost" + i);
    }

    Diagnosis diagnosis = diagnose(DoctorOptions.repair().sampleSize(3));

    assertThat(diagnosis.isHealthy()).isTrue();
    assertThat(diagnosis.findings())
        .extracting(Finding::kind)
        .containsExactlyInAnyOrder(
            FindingKind.ID_WITHOUT_RECORD,
            FindingKind.RECORD_WITHOUT_CONTAINER,
            FindingKind.STALE_LOCK,
            FindingKind.UNREGISTERED_QUEUE,
            FindingKind.STALE_PRESENCE,
            FindingKind.LEAKED_HISTORY);
    Finding lost =
        diagnosis.findings().stream()
            .filter(finding -> finding.kind() == FindingKind.RECORD_WITHOUT_CONTAINER)
            .findFirst()
            .orElseThrow();
    assertThat(lost.queue()).isEqualTo(Q);
    assertThat(lost.repaired()).isEqualTo(120);
    assertThat(lost.sample()).hasSize(3).allMatch(id -> id.startsWith("lost"));
    assertThat(lost.toString())
        .contains("in queue q", "120 found, 120 repaired", lost.kind().why());
    RedisInvariants.assertHold(redis().server);
  }

  @Test
  default void tasksThatHaveBecomeOneDoNotGoBackToTheirGroup() {
    populate();
    redis().seedRecord(TaskState.AGGREGATING, "x");
    redis().raw(Command.HSET, RedisKeys.task(Q, "x"), "group", "odd");
    redis().raw(Command.ZADD, key("spent:set"), "1", "x");

    Diagnosis diagnosis = diagnose(DoctorOptions.repair());

    assertThat(diagnosis.findings())
        .extracting(Finding::kind)
        .containsExactly(FindingKind.UNLISTED_SPENT_SET);
    assertThat(redis().world()).contains("spent: [set]\n").doesNotContain("g:odd");
    assertThat(redis().aggregation().sweep(Q, 10)).isEqualTo(1);
    RedisInvariants.assertHold(redis().server);
  }

  @Test
  default void anUnreadableTaskIsDeletedOnlyOnRequest() {
    populate();
    DataCorruption.UNREADABLE.inflict.accept(redis());

    Diagnosis diagnosis = diagnose(DoctorOptions.repair().removeUnreadable());

    assertThat(diagnosis.isHealthy()).isTrue();
    assertThat(redis().world()).doesNotContain("t:x");
    RedisInvariants.assertHold(redis().server);
  }

  @Test
  default void anUnreadableTaskIsLeftToItsWorker() {
    populate();
    redis().raw(Command.HSET, RedisKeys.task(Q, "running"), "msg", "not a message");
    String before = redis().world();

    assertThat(diagnose(DoctorOptions.repair().removeUnreadable()).findings()).isEmpty();

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void anArchiveIsTrimmedOnlyIfThatIsAskedForAndToTheLimitsThatAreGiven() {
    populate();
    for (int i = 0; i < 60; i++) {
      redis().seed(TaskState.ARCHIVED, "a" + i, T - 60 + i);
    }
    DoctorOptions.Builder limited = DoctorOptions.repair().archiveLimits(5, Duration.ofDays(1));

    Diagnosis reported = diagnose(limited);
    assertThat(reported.findings())
        .containsExactly(Finding.of(FindingKind.ARCHIVE_OVERFLOW, Q, 56, 0, List.of("q")));
    assertThat(reported.isHealthy()).isFalse();

    Diagnosis trimmed = diagnose(limited.trimArchives());
    assertThat(trimmed.findings())
        .containsExactly(Finding.of(FindingKind.ARCHIVE_OVERFLOW, Q, 56, 56, List.of("q")));
    assertThat(redis().raw(Command.ZCARD, key("archived"))).isEqualTo(5L);
    RedisInvariants.assertHold(redis().server);
  }

  @Test
  default void fixesQ06_anArchiveThatWouldWedgeGoIsFoundAndTrimmed() {
    redis().seed(TaskState.PENDING, "waiting", 0);
    seedMany(TaskState.ARCHIVED, 7_950, T - 91 * 86_400L);

    assertThat(diagnose(DoctorOptions.dryRun()).findings())
        .containsExactly(Finding.of(FindingKind.ARCHIVE_WEDGES_GO, Q, 7_950, 0, List.of("q")));
    assertThat(diagnose(DoctorOptions.repair().trimArchives()).isHealthy()).isTrue();

    assertThat(redis().raw(Command.EXISTS, key("archived"))).isEqualTo(0L);
    assertThat(diagnose(DoctorOptions.dryRun()).findings()).isEmpty();
  }

  @Test
  default void whatOursKeepDoesNotWedgeGoHoweverOldItIs() {
    redis().seed(TaskState.PENDING, "waiting", 0);
    int most = ArchiveRules.DEFAULT.maxSize();
    seedMany(TaskState.ARCHIVED, most, T - 91 * 86_400L);

    assertThat(diagnose(DoctorOptions.dryRun()).findings())
        .containsExactly(Finding.of(FindingKind.ARCHIVE_OVERFLOW, Q, most, 0, List.of("q")));
  }

  /** Tasks n0, n1 and so on, with few round trips. */
  private void seedMany(TaskState state, int count, long score) {
    int slot = RedisKeys.slot(RedisKeys.prefix(Q));
    byte[] container = key(state.word()).getBytes(StandardCharsets.UTF_8);
    for (int from = 0; from < count; from += 1000) {
      List<CommandArguments> commands = new ArrayList<>();
      for (int i = from; i < Math.min(from + 1000, count); i++) {
        byte[] message = MessageCodec.encode(redis().task("n" + i).message());
        commands.add(
            new CommandArguments(Command.HSET)
                .add(RedisKeys.task(Q, "n" + i))
                .add("state")
                .add(state.word())
                .add("msg")
                .add(message));
        commands.add(
            state == TaskState.PENDING
                ? new CommandArguments(Command.LPUSH).add(container).add("n" + i)
                : new CommandArguments(Command.ZADD).add(container).add(score).add("n" + i));
      }
      redis().link.callAll(slot, commands);
    }
  }

  @Test
  default void whatIsRightAgainAtTheSecondLookIsNoFinding() {
    populate();
    redis().seedRecord(TaskState.PENDING, "x");
    redis().seedRecord(TaskState.RETRY, "y");
    redis().raw(Command.LPUSH, key("pending"), "z");
    DoctorOptions options = DoctorOptions.repair().lookAgainAfter(Duration.ZERO).build();

    Diagnosis diagnosis =
        InspectorAccess.broker(redis().broker)
            .doctor(
                options,
                progress -> {
                  if (progress.step().startsWith("examining 3 candidates again")) {
                    redis().raw(Command.LPUSH, key("pending"), "x");
                    redis().raw(Command.ZADD, key("retry"), "1", "y");
                    redis().seedRecord(TaskState.PENDING, "z");
                  }
                  return true;
                });

    assertThat(diagnosis.findings()).isEmpty();
    RedisInvariants.assertHold(redis().server);
  }

  @Test
  default void whatHasMovedSinceItWasFoundIsLeftAlone() {
    populate();
    redis().seedRecord(TaskState.RETRY, "x");
    redis().raw(Command.HSET, RedisKeys.task(Q, "waiting"), "msg", "not a message");
    Diagnostics diagnostics = redis().broker.diagnostics();
    Norms norms = new Norms(ArchiveRules.DEFAULT, Duration.ofMinutes(1));
    List<Subject> subjects =
        List.of(
            Subject.of(SubjectKind.TASK, Q, "x"),
            Subject.of(SubjectKind.TASK, Q, "waiting")
                .with(new Seen(1, 0, redis().clock.instant())));
    List<@Nullable FindingDetail> found = diagnostics.examine(subjects, norms, true);
    List<FindingDetail> findings = found.stream().map(Objects::requireNonNull).toList();
    redis().raw(Command.ZADD, key("archived"), Long.toString(T), "x");
    redis().raw(Command.HSET, RedisKeys.task(Q, "waiting"), "msg", "another message");
    String before = redis().world();

    assertThat(diagnostics.repair(subjects, findings, norms, true))
        .containsExactly(RepairResult.CHANGED, RepairResult.CHANGED);

    assertThat(redis().world()).isEqualTo(before);
  }

  @Test
  default void anInterruptedScanContinuesWhereItStopped() {
    redis().raw(Command.SADD, RedisKeys.QUEUES, "q");
    seedMany(TaskState.PENDING, 2_300, 0);
    for (int i = 0; i < 40; i++) {
      redis().raw(Command.LPUSH, key("pending"), "ghost" + i);
      redis().seedRecord(TaskState.RETRY, "lost" + i);
    }
    Map<FindingKind, Long> found = new HashMap<>();
    String resumeFrom = null;
    int runs = 0;
    do {
      DoctorOptions options =
          DoctorOptions.repair().lookAgainAfter(Duration.ZERO).resumeFrom(resumeFrom).build();
      // Past the lists, which each run scans again.
      Diagnosis diagnosis =
          InspectorAccess.broker(redis().broker)
              .doctor(options, progress -> progress.step().startsWith("lists of"));
      diagnosis
          .findings()
          .forEach(finding -> found.merge(finding.kind(), finding.repaired(), Long::sum));
      resumeFrom = diagnosis.resumeFrom();
      assertThat(diagnosis.problems()).isEmpty();
      runs++;
    } while (resumeFrom != null && runs < 100);

    assertThat(runs).isBetween(4, 99);
    assertThat(found)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(FindingKind.ID_WITHOUT_RECORD, 40L, FindingKind.RECORD_WITHOUT_CONTAINER, 40L));
    assertThat(diagnose(DoctorOptions.dryRun()).isHealthy()).isTrue();
    RedisInvariants.assertHold(redis().server);
  }

  @Test
  default void onlyTheNamedQueuesAreRead() {
    QueueName other = QueueName.of("other");
    redis().raw(Command.SADD, RedisKeys.QUEUES, "other");
    redis().raw(Command.LPUSH, key("pending"), "x");
    redis().raw(Command.LPUSH, RedisKeys.of(other, "pending"), "y");
    redis().raw(Command.ZADD, RedisKeys.SERVERS, "1", "gone");

    Diagnosis diagnosis = diagnose(DoctorOptions.repair().queue("other"));

    assertThat(diagnosis.findings())
        .extracting(Finding::kind, Finding::queue)
        .containsExactly(tuple(FindingKind.ID_WITHOUT_RECORD, other));
    assertThat(redis().raw(Command.LLEN, key("pending"))).isEqualTo(1L);
  }

  @Test
  default void unreadableQueuesAreReportedAndDoNotHideTheRest() {
    QueueName other = QueueName.of("other");
    redis().raw(Command.SADD, RedisKeys.QUEUES, "q");
    redis().raw(Command.SET, key("retry"), "not a sorted set");
    redis().raw(Command.SADD, RedisKeys.QUEUES, "other");
    redis().raw(Command.LPUSH, RedisKeys.of(other, "pending"), "y");

    Diagnosis diagnosis = diagnose(DoctorOptions.repair());

    assertThat(diagnosis.problems()).anySatisfy(problem -> assertThat(problem).contains("queue q"));
    assertThat(diagnosis.isComplete()).isFalse();
    assertThat(diagnosis.findings())
        .extracting(Finding::kind)
        .contains(FindingKind.ID_WITHOUT_RECORD);
    assertThat(redis().raw(Command.LLEN, RedisKeys.of(other, "pending"))).isEqualTo(0L);
  }

  @Test
  default void aQueueWhoseNameLooksLikeAKeyIsFoundByIt() {
    QueueName odd = QueueName.of("a}:t:b");
    redis().raw(Command.SADD, RedisKeys.QUEUES, odd.value());
    redis().raw(Command.LPUSH, RedisKeys.of(odd, "pending"), "y");
    redis().raw(Command.SET, RedisKeys.of(odd, "unique:t:1"), "gone", "EX", "100");

    Diagnosis diagnosis = diagnose(DoctorOptions.repair());

    assertThat(diagnosis.findings())
        .extracting(Finding::kind, Finding::queue)
        .containsExactly(
            tuple(FindingKind.ID_WITHOUT_RECORD, odd), tuple(FindingKind.STALE_LOCK, odd));
    assertThat(diagnosis.isHealthy()).isTrue();
  }

  @Test
  default void fixesQ02_aLockThatOnlyTheMessageNamesBelongsToItsTask() {
    String lock = RedisKeys.unique(Q, "t", Payload.ofUtf8("p"));
    redis().enqueue(redis().task("x", o -> o.group("g").uniqueFor(Duration.ofHours(1))));
    redis().raw(Command.HDEL, RedisKeys.task(Q, "x"), "unique_key");

    assertThat(diagnose(DoctorOptions.repair()).findings()).isEmpty();

    assertThat(redis().rawText(Command.GET, lock)).isEqualTo("x");
  }
}
