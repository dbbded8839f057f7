package io.asynq4j.internal.redis.store;

import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.QueueName;
import io.asynq4j.ScheduleNotFoundException;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.broker.ScheduleLedger.Entry;
import io.asynq4j.internal.broker.ScheduleLedger.Firing;
import io.asynq4j.internal.broker.ScheduleLedger.State;
import io.asynq4j.internal.broker.ScheduleStore;
import io.asynq4j.internal.broker.ScheduleStore.Known;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Protocol.Command;

/** State of schedule entries in the store; each instant fires once. */
interface ScheduleStoreContract {

  BrokerFixture redis();

  Entry MINUTELY = new Entry("e", Q, "* * * * *");
  Instant ONE = NOON.plusSeconds(60);
  Instant TWO = NOON.plusSeconds(120);

  private ScheduleStore schedules() {
    return redis().broker.schedules();
  }

  private State enroll(Entry entry) {
    return Objects.requireNonNull(schedules().enroll(List.of(entry)).get(entry.name()));
  }

  private State look(Entry entry) {
    return Objects.requireNonNull(schedules().look(List.of(entry)).get(entry.name()));
  }

  private List<@Nullable EnqueueReply> fire(Firing... firings) {
    return schedules().fire(Q, List.of(firings));
  }

  private Firing firing(@Nullable Instant decided, Instant instant, String id) {
    return new Firing("e", decided, instant, redis().task(id));
  }

  @Test
  default void anEntryBeginsWhenItIsFirstKnown() {
    redis().clock.advance(Duration.ofMillis(1_700));

    State state = enroll(MINUTELY);

    assertThat(state)
        .isEqualTo(
            new State(
                NOON.plusSeconds(1), NOON.plusMillis(1_700), null, /* pausedSince= */ null, null))
        .extracting(State::decided)
        .isEqualTo(NOON.plusMillis(1_700));
    redis().clock.advance(Duration.ofHours(1));
    assertThat(enroll(MINUTELY)).isEqualTo(state);
    assertThat(look(MINUTELY)).isEqualTo(state);
    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:schedules: {e=q}
            schedules: {anchor:e=4102488001000, from:e=4102488001700, spec:e=* * * * *}
            """);
  }

  @Test
  default void anEntryWithAnotherSpecBeginsAnewAndKeepsWhatItFiredLast() {
    enroll(MINUTELY);
    fire(firing(NOON, ONE, "a"));
    redis().clock.advance(Duration.ofHours(1));

    State state = enroll(new Entry("e", Q, "@hourly"));

    assertThat(state.decided()).isEqualTo(NOON.plus(Duration.ofHours(1)));
    assertThat(state.last()).isEqualTo(ONE);
  }

  @Test
  default void aTaskComesInAndItsEntryGetsFurtherInOneStep() {
    enroll(MINUTELY);
    redis().clock.set(ONE);

    assertThat(fire(firing(NOON, ONE, "a"))).containsExactly(EnqueueReply.ENQUEUED);

    assertThat(look(MINUTELY).last()).isEqualTo(ONE);
    assertThat(redis().world())
        .isEqualTo(
            """
            asynq:queues: [q]
            asynq:schedules: {e=q}
            pending: [a]
            schedules: {anchor:e=4102488000000, from:e=4102488000000, last:e=4102488060000, spec:e=* * * * *}
            t:a: {msg=t(p) retry 0/25 timeout 1800, pending_since=4102488060000000000, state=pending}
            """);
  }

  @Test
  default void anInstantIsFiredOnceAlsoWhenItsTaskIsLongDoneAndGone() {
    enroll(MINUTELY);
    fire(firing(NOON, ONE, "a"));
    redis().actions().delete(Q, List.of("a"));

    assertThat(fire(firing(NOON, ONE, "b"))).containsOnlyNulls();
    assertThat(fire(firing(NOON, TWO, "c"))).containsOnlyNulls();

    assertThat(redis().world()).doesNotContain("t:a", "t:b", "t:c");
    assertThat(fire(firing(ONE, TWO, "d"))).containsExactly(EnqueueReply.ENQUEUED);
  }

  @Test
  default void severalInstantsOfAnEntryGoInOneCall() {
    enroll(MINUTELY);

    assertThat(fire(firing(NOON, ONE, "a"), firing(ONE, TWO, "b"), firing(ONE, TWO, "c")))
        .containsExactly(EnqueueReply.ENQUEUED, EnqueueReply.ENQUEUED, null);
  }

  @Test
  default void whatKeepsATaskOutDoesNotKeepTheEntryFromGoingOn() {
    redis().enqueue("taken");
    NewTask unique = redis().task("first", o -> o.uniqueFor(Duration.ofHours(1)));
    redis().enqueue(unique);
    enroll(MINUTELY);

    assertThat(
            fire(
                firing(NOON, ONE, "taken"),
                new Firing(
                    "e", ONE, TWO, redis().task("second", o -> o.uniqueFor(Duration.ofHours(1))))))
        .containsExactly(EnqueueReply.ID_CONFLICT, EnqueueReply.duplicateOf("first"));

    assertThat(look(MINUTELY).last()).isEqualTo(TWO);
  }

  @Test
  default void aTaskMayBeToWaitOrToBeGrouped() {
    enroll(MINUTELY);

    fire(
        new Firing("e", NOON, ONE, redis().task("later", o -> o.processIn(Duration.ofMinutes(5)))),
        new Firing("e", ONE, TWO, redis().task("grouped", o -> o.group("g"))));

    assertThat(redis().world())
        .contains("scheduled: {later=4102488300}")
        .contains("g:g: {grouped=4102488000}")
        .contains("groups: [g]");
  }

  @Test
  default void anEntryThatIsNotKnownFiresNothing() {
    assertThat(fire(firing(NOON, ONE, "a"))).containsOnlyNulls();
    assertThat(schedules().look(List.of(MINUTELY))).isEmpty();

    enroll(MINUTELY);
    schedules().forget("e");

    assertThat(fire(firing(NOON, ONE, "a"))).containsOnlyNulls();
    assertThat(redis().world()).isEqualTo("asynq:queues: [q]\nasynq:schedules: {=1}\n");
  }

  @Test
  default void aPausedEntryFiresNothingAndMakesUpForNothing() {
    enroll(MINUTELY);
    assertThat(schedules().pause("e")).isTrue();
    assertThat(schedules().pause("e")).isFalse();

    assertThat(fire(firing(NOON, ONE, "a"))).containsOnlyNulls();

    assertThat(look(MINUTELY).paused()).isTrue();
    redis().clock.set(TWO);
    assertThat(schedules().resume("e")).isTrue();
    assertThat(schedules().resume("e")).isFalse();
    assertThat(look(MINUTELY).decided()).isEqualTo(TWO);
    assertThat(look(MINUTELY).anchor()).isEqualTo(NOON);
    assertThat(look(MINUTELY).paused()).isFalse();
  }

  @Test
  default void aRunThatWasRequestedIsFiredOncePausedOrNotAndLeavesTheScheduleAlone() {
    enroll(MINUTELY);
    schedules().pause("e");
    schedules().requestRun("e");
    assertThat(look(MINUTELY).runRequested()).isEqualTo(NOON);

    assertThat(fire(firing(null, NOON, "a"), firing(null, NOON, "b")))
        .containsExactly(EnqueueReply.ENQUEUED, null);

    assertThat(look(MINUTELY).runRequested()).isNull();
    assertThat(look(MINUTELY).last()).isNull();
  }

  @Test
  default void operatorsChangeTheRevision() {
    enroll(MINUTELY);
    long before = schedules().revision();

    schedules().pause("e");
    schedules().resume("e");
    schedules().requestRun("e");
    schedules().forget("e");

    assertThat(schedules().revision()).isEqualTo(before + 4);
  }

  @Test
  default void whatIsNotKnownCannotBePausedResumedOrRun() {
    for (String name : List.of("nobody", "")) {
      assertThatThrownBy(() -> schedules().pause(name))
          .isInstanceOf(ScheduleNotFoundException.class)
          .hasMessageContainingAll("\"" + name + "\"", "Go schedulers");
      assertThatThrownBy(() -> schedules().resume(name))
          .isInstanceOf(ScheduleNotFoundException.class);
      assertThatThrownBy(() -> schedules().requestRun(name))
          .isInstanceOf(ScheduleNotFoundException.class);
    }
    schedules().forget("nobody");
    assertThat(redis().world()).isEmpty();
  }

  @Test
  default void allEntriesThatAreKnownAreListed() {
    Entry other = new Entry("another", QueueName.of("low"), "@daily");
    schedules().enroll(List.of(MINUTELY, other));
    schedules().pause("e");

    assertThat(schedules().known(broken -> {}))
        .containsExactly(new Known(other, look(other)), new Known(MINUTELY, look(MINUTELY)));
    assertThat(look(MINUTELY).paused()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"inf", "-100000000000000000", "9223372036854775807", "text"})
  default void anEntryWhoseStateCannotBeReadHidesNoOther(String time) {
    Entry other = new Entry("other", Q, "* * * * *");
    enroll(MINUTELY);
    State state = enroll(other);
    redis().raw(Command.HSET, RedisKeys.of(Q, "schedules"), "from:e", time);
    redis().raw(Command.HSET, RedisKeys.SCHEDULES, "elsewhere", "");

    assertThat(schedules().known(broken -> {})).containsExactly(new Known(other, state));
    assertThat(schedules().look(List.of(MINUTELY, other))).containsOnlyKeys("other");
    assertThat(schedules().enroll(List.of(MINUTELY, other))).containsOnlyKeys("other");
  }

  @Test
  default void theStateOfAnEntryFollowsItIntoAnotherQueue() {
    enroll(MINUTELY);
    fire(firing(NOON, ONE, "a"));
    schedules().pause("e");
    State before = look(MINUTELY);
    Entry moved = new Entry("e", QueueName.of("low"), MINUTELY.spec());
    redis().clock.advance(Duration.ofHours(1));

    assertThat(enroll(moved)).isEqualTo(before);

    assertThat(schedules().look(List.of(MINUTELY))).isEmpty();
    assertThat(schedules().known(broken -> {})).extracting(Known::entry).containsExactly(moved);
    assertThat(redis().raw(Command.EXISTS, RedisKeys.of(Q, "schedules"))).isEqualTo(0L);
  }

  @Test
  default void anEntryThatIsOnItsWayIntoAnotherQueueFiresNowhereUntilItIsThere() {
    enroll(MINUTELY);
    schedules().requestRun("e");
    redis().raw(Command.HSET, RedisKeys.of(Q, "schedules"), "leaving:e", "1");

    assertThat(fire(firing(NOON, ONE, "a"), firing(null, NOON, "b"))).containsOnlyNulls();
    assertThat(schedules().look(List.of(MINUTELY))).isEmpty();

    assertThat(enroll(MINUTELY).runRequested()).isEqualTo(NOON);
    assertThat(fire(firing(NOON, ONE, "a"))).containsExactly(EnqueueReply.ENQUEUED);
  }

  @Test
  default void aLateWriteOfTheStateOfAnEntryIsIgnored() {
    Entry moved = new Entry("e", QueueName.of("low"), MINUTELY.spec());
    enroll(MINUTELY);
    State before = look(MINUTELY);
    enroll(moved);
    schedules()
        .fire(
            moved.queue(),
            List.of(
                new Firing(
                    "e", NOON, ONE, redis().task("a", o -> o.queue(moved.queue().value())))));
    // As if it had been read before the move, and were brought by another only now.
    redis().raw(Command.HSET, RedisKeys.SCHEDULES, "e", "q");
    redis()
        .raw(
            Command.HSET,
            RedisKeys.of(Q, "schedules"),
            "spec:e",
            MINUTELY.spec(),
            "from:e",
            Long.toString(before.from().toEpochMilli()));

    assertThat(enroll(moved).last()).isEqualTo(ONE);

    assertThat(schedules().known(broken -> {})).extracting(Known::entry).containsExactly(moved);
    assertThat(redis().raw(Command.EXISTS, RedisKeys.of(Q, "schedules"))).isEqualTo(0L);
  }

  @Test
  default void moreEntriesThanFitIntoACall() {
    List<Entry> many =
        IntStream.range(0, 120)
            .mapToObj(i -> new Entry("e" + i, QueueName.of("q" + i % 2), "@daily"))
            .toList();

    assertThat(schedules().enroll(many)).hasSize(120).isEqualTo(schedules().look(many));

    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                schedules()
                    .fire(
                        Q,
                        Collections.nCopies(
                            ScheduleLedger.MOST_FIRINGS + 1, firing(NOON, ONE, "a"))));
  }

  @Test
  default void oneLeadsUntilItResignsOrIsGone() {
    Duration lease = Duration.ofSeconds(5);

    assertThat(schedules().lead("g", "one", lease)).isTrue();
    assertThat(schedules().lead("g", "two", lease)).isFalse();
    assertThat(schedules().lead("other", "two", lease)).isTrue();
    assertThat(schedules().lead("g", "one", Duration.ofMillis(7_500))).isTrue();
    assertThat(ReplyParser.number(redis().raw(Command.TTL, RedisKeys.schedulerLeader("g"))))
        .isBetween(7L, 8L);

    schedules().resign("g", "two");
    assertThat(schedules().lead("g", "two", lease)).isFalse();
    schedules().resign("g", "one");
    assertThat(schedules().lead("g", "two", lease)).isTrue();
    redis().raw(Command.DEL, RedisKeys.schedulerLeader("g"));
    assertThat(schedules().lead("g", "one", lease)).isTrue();
  }
}
