package io.asynq4j.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asynq4j.Task;
import io.asynq4j.internal.broker.ScheduleLedger.State;
import io.asynq4j.schedule.MissedPolicy;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.ScheduleEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class DueEntryTest {

  private static final Instant NOON = Instant.parse("2100-01-01T12:00:00Z");
  private static final Duration GRACE = Duration.ofSeconds(30);
  private static final Schedule MINUTELY = Schedule.of("* * * * *");

  private static List<Instant> due(MissedPolicy policy, Instant decided, Instant now) {
    return due(MINUTELY, policy, new State(NOON, decided, null, null, null), now);
  }

  private static List<Instant> due(
      Schedule schedule, MissedPolicy policy, State state, Instant now) {
    ScheduleEntry entry = ScheduleEntry.of("e", schedule, Task.of("t")).missed(policy);
    return new DueEntry(entry, state).dueInstants(now, GRACE);
  }

  private static Instant minute(int minute) {
    return NOON.plusSeconds(60L * minute);
  }

  @Test
  void whatHasJustComeIsDueWhateverThePolicy() {
    for (MissedPolicy policy :
        List.of(MissedPolicy.skip(), MissedPolicy.runOnce(), MissedPolicy.runAll(5))) {
      assertThat(due(policy, NOON, minute(1).minusMillis(1))).isEmpty();
      assertThat(due(policy, NOON, minute(1))).containsExactly(minute(1));
      assertThat(due(policy, minute(1), minute(1).plusMillis(1))).isEmpty();
    }
  }

  @Test
  void anEntryIsNotFiredAgainWhileACallFiresItEvenIfItsQueueMovesToAnotherServer() {
    DueEntry entry =
        new DueEntry(
            ScheduleEntry.of("e", MINUTELY, Task.of("t")), new State(NOON, NOON, null, null, null));
    entry.knowledge(DueEntry.Knowledge.CURRENT);
    assertThat(entry.isReady()).isTrue();

    entry.underWay(true);
    assertThat(entry.isReady()).isFalse();

    entry.underWay(false);
    assertThat(entry.isReady()).isTrue();
  }

  @Test
  void skippingLeavesOutAllButTheLatestWhenItIsALittleLate() {
    assertThat(due(MissedPolicy.skip(), NOON, minute(10).plus(GRACE))).containsExactly(minute(10));
    assertThat(due(MissedPolicy.skip(), NOON, minute(10).plus(GRACE).plusMillis(1))).isEmpty();
  }

  @Test
  void runningOnceFiresTheLatestHoweverLate() {
    assertThat(due(MissedPolicy.runOnce(), NOON, minute(10).plusSeconds(59)))
        .containsExactly(minute(10));
  }

  @Test
  void runningAllFiresThemInTheirOrderAndOfTooManyTheLatest() {
    assertThat(due(MissedPolicy.runAll(5), NOON, minute(3)))
        .containsExactly(minute(1), minute(2), minute(3));
    assertThat(due(MissedPolicy.runAll(5), NOON, minute(9)))
        .containsExactly(minute(5), minute(6), minute(7), minute(8), minute(9));
  }

  @Test
  void manyYearsOfSecondsAreNotWalkedThrough() {
    Instant begin = NOON.minus(Duration.ofDays(100_000));
    State longAgo = new State(begin, begin, null, null, null);

    List<Instant> due =
        due(Schedule.of("@every 1s"), MissedPolicy.runAll(2), longAgo, NOON.plusMillis(500));

    assertThat(due).containsExactly(NOON.minusSeconds(1), NOON);
  }

  @Test
  void howManyAreRunAtMostIsBounded() {
    assertThatIllegalArgumentException().isThrownBy(() -> MissedPolicy.runAll(0));
    assertThatIllegalArgumentException().isThrownBy(() -> MissedPolicy.runAll(100_001));
  }
}
