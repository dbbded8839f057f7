package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asynq4j.interop.MixedFleetIT.Fate;
import io.asynq4j.interop.MixedFleetIT.Planned;
import io.asynq4j.interop.ServerFleet.Member;
import io.asynq4j.interop.peer.GoTask;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Which repeated attempts of a fleet are allowed. */
class FleetVerifierTest {

  private static final long KILL = 20_000;

  private final Member go = new Member("go");
  private final Member java = new Member("java");
  private final Map<Member, List<String>> logs = new LinkedHashMap<>();
  private final List<Planned> accepted = new ArrayList<>();

  @Test
  void aFailureExplainsALaterAttemptThatCountsIt() {
    accept("a", Fate.DONE);
    say(go, "1000 start a q 0", "1010 failed a");
    say(java, "1400 start a q 1", "1410 done a");

    assertThat(review().assertEachRepetitionHasItsReason()).containsEntry("after a failure", 1);
  }

  @Test
  void aFailureDoesNotExplainAnAttemptThatStartedBefore() {
    accept("a", Fate.DONE);
    say(go, "1000 start a q 0", "1010 failed a");
    say(java, "1005 start a q 1", "1410 done a");

    assertRefused(review()::assertEachRepetitionHasItsReason);
  }

  @Test
  void aKillExplainsALaterAttempt() {
    accept("a", Fate.DONE);
    go.killed(KILL, KILL + 5);
    say(go, "19000 start a q 0", "19010 done a");
    say(java, "20400 start a q 0", "20410 done a");

    assertThat(review().assertEachRepetitionHasItsReason()).containsEntry("after a kill", 1);
  }

  @Test
  void aKillDoesNotExplainAnAttemptThatStartedBeforeItOrHadEndedLongAgo() {
    accept("a", Fate.DONE);
    go.killed(KILL, KILL + 5);
    say(go, "19000 start a q 0");
    say(java, "19400 start a q 0", "19410 done a");
    assertRefused(review()::assertEachRepetitionHasItsReason);

    logs.clear();
    say(go, "12000 start a q 0", "12010 done a");
    say(java, "20400 start a q 0", "20410 done a");
    assertRefused(review()::assertEachRepetitionHasItsReason);
  }

  @Test
  void aLostLeaseExplainsOnlyTheNextAttempt() {
    accept("a", Fate.DONE);
    say(java, "1000 start a q 0", "1010 done a", "1020 lost a");
    say(go, "1400 start a q 1", "1410 done a");
    assertThat(review().assertEachRepetitionHasItsReason()).containsEntry("after a lost lease", 1);

    logs.clear();
    say(java, "900 lost a", "1000 start a q 0", "1010 done a");
    say(go, "1400 start a q 1", "1410 done a");
    assertRefused(review()::assertEachRepetitionHasItsReason);
  }

  @Test
  void tasksAreAggregatedTwiceOnlyIfGoWasKilledInBetween() {
    accept("a", Fate.JOINED);
    go.killed(KILL, KILL + 5);
    say(go, "19990 joined j1 a");
    say(java, "19995 start j1 q 0 a", "19996 done j1", "25000 joined j2 a");
    say(java, "25010 start j2 q 0 a", "25011 done j2");
    assertThat(review().assertEachRepetitionHasItsReason())
        .containsEntry("joined again after a kill between two steps of Go", 1);

    logs.clear();
    say(go, "12000 joined j1 a", "12005 start j1 q 0 a", "12006 done j1");
    say(java, "25000 joined j2 a", "25010 start j2 q 0 a", "25011 done j2");
    assertRefused(review()::assertEachRepetitionHasItsReason);
  }

  @Test
  void javaServersNeverEnqueueMembersThatTheyDidNotTakeFromTheGroup() {
    accept("a", Fate.JOINED);
    java.killed(KILL, KILL + 5);
    say(java, "19990 joined j1 a");
    say(go, "19995 start j1 q 0 a", "19996 done j1", "25000 joined j2 a");
    say(go, "25010 start j2 q 0 a", "25011 done j2");

    assertRefused(review()::assertEachRepetitionHasItsReason);
  }

  @Test
  void anAggregatedTaskRunsUnlessItsProcessWasKilled() {
    accept("a", Fate.JOINED);
    java.killed(KILL, KILL + 5);
    say(java, "19990 joined j1 a");
    say(go, "25000 joined j2 a", "25010 start j2 q 0 a", "25011 done j2");
    assertThat(review().assertEachRepetitionHasItsReason()).isEmpty();

    say(go, "26000 joined j3 a");
    assertRefused(review()::assertEachRepetitionHasItsReason);
  }

  @Test
  void onlyAcceptedTasksMayRun() {
    accept("a", Fate.DONE);
    accept("b", Fate.JOINED);
    say(go, "1000 start a q 0", "1010 done a");
    say(go, "1000 joined j b", "1100 start j q 0 b", "1101 done j");
    review().assertOnlyWhatWasAcceptedWasRun();

    say(java, "1000 start x q 0", "1010 done x");
    assertRefused(review()::assertOnlyWhatWasAcceptedWasRun);
  }

  @Test
  void aMemberIsAggregatedOnceAndNeverRunsAlone() {
    accept("b", Fate.JOINED);
    say(go, "1000 joined j b b", "1100 start j q 0 b b", "1101 done j");
    assertRefused(review()::assertOnlyWhatWasAcceptedWasRun);

    logs.clear();
    say(go, "1000 start b q 0", "1010 done b");
    assertRefused(review()::assertOnlyWhatWasAcceptedWasRun);
  }

  @Test
  void anAggregatedTaskMustBeDoneToo() {
    accept("b", Fate.JOINED);
    say(go, "1000 joined j b", "1100 start j q 0 b");

    assertRefused(review()::assertEachWasRunToItsEnd);
  }

  @Test
  void countersAreComparedWithTheReportedAttempts() {
    accept("a", Fate.DONE);
    accept("b", Fate.ARCHIVED);
    say(go, "1000 start a q 0", "1010 failed a", "1400 start b q 0", "1410 archive b");
    say(java, "1400 start a q 1", "1410 done a");

    review().assertCountersFit("q", 3, 2);
    assertRefused(() -> review().assertCountersFit("q", 2, 1));
    assertRefused(() -> review().assertCountersFit("q", 4, 2));
    assertRefused(() -> review().assertCountersFit("q", 4, 3));
  }

  private void accept(String id, Fate fate) {
    accepted.add(new Planned(GoTask.of(id, "x").queue("q").build(), fate));
  }

  private void say(Member member, String... lines) {
    logs.computeIfAbsent(member, m -> new ArrayList<>()).addAll(List.of(lines));
  }

  private FleetVerifier review() {
    long kills = List.of(go, java).stream().filter(Member::wasKilled).count();
    return new FleetVerifier(ServerFleet.events(logs), kills, accepted);
  }

  private static void assertRefused(ThrowingCallable review) {
    assertThatExceptionOfType(AssertionError.class).isThrownBy(review);
  }
}
