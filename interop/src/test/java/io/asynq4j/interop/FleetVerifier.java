package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.interop.MixedFleetIT.Fate;
import io.asynq4j.interop.MixedFleetIT.Planned;
import io.asynq4j.interop.ServerFleet.Attempt;
import io.asynq4j.interop.ServerFleet.Joining;
import io.asynq4j.interop.ServerFleet.Loss;
import io.asynq4j.interop.ServerFleet.Member;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compares the events that a fleet reported with the tasks that were enqueued. */
final class FleetVerifier {

  private static final Logger log = LoggerFactory.getLogger(FleetVerifier.class);

  /** An end that was reported within this time before a kill may not have reached Redis. */
  private static final long ON_THE_WAY = 2_000;

  /** Maximum number of claimed and unsettled tasks of a process: running and prefetched ones. */
  private static final int HELD = 20;

  private static final String UNEXPLAINED = "unexplained";

  private final ServerFleet.Events events;
  private final Map<String, Planned> accepted = new HashMap<>();
  private final long kills;
  private final Map<String, Integer> reasons = new TreeMap<>();

  FleetVerifier(ServerFleet.Events events, long kills, List<Planned> accepted) {
    this.events = events;
    this.kills = kills;
    accepted.forEach(one -> this.accepted.put(one.task().id(), one));
  }

  Map<String, List<Attempt>> attempts() {
    return events.attempts();
  }

  /** Only enqueued tasks were run, each in its queue. */
  void assertOnlyWhatWasAcceptedWasRun() {
    events
        .attempts()
        .forEach(
            (id, attempts) -> {
              Joining joining = events.joined().get(id);
              String queue = attempts.get(0).queue();
              assertThat(attempts).extracting(Attempt::queue).containsOnly(queue);
              if (joining == null) {
                assertWasAccepted(id, queue, false);
              } else {
                assertThat(attempts).extracting(Attempt::tasks).containsOnly(joining.tasks());
                joining.tasks().forEach(member -> assertWasAccepted(member, queue, true));
              }
            });
    assertThat(events.joined().values())
        .allSatisfy(joining -> assertThat(joining.tasks()).doesNotHaveDuplicates());
  }

  private void assertWasAccepted(String id, String queue, boolean toBeJoined) {
    assertThat(accepted)
        .hasEntrySatisfying(
            id,
            planned -> {
              assertThat(planned.task().queue()).isEqualTo(queue);
              assertThat(planned.fate() == Fate.JOINED).as("%s", planned).isEqualTo(toBeJoined);
            });
  }

  /** Each task ended as planned, alone or aggregated with its group. */
  void assertEachWasRunToItsEnd() {
    Set<String> joined = new HashSet<>();
    events
        .attempts()
        .forEach(
            (id, attempts) -> {
              Planned planned = accepted.get(id);
              Attempt last = attempts.get(attempts.size() - 1);
              boolean archived = planned != null && planned.fate() == Fate.ARCHIVED;
              assertThat(last.outcome()).as("%s", last).isEqualTo(archived ? "archive" : "done");
              joined.addAll(last.tasks());
            });
    accepted.forEach(
        (id, planned) -> {
          if (planned.fate() == Fate.JOINED) {
            assertThat(joined).contains(id);
          } else {
            assertThat(events.attempts()).containsKey(id);
          }
        });
  }

  /** Requires a reason for every repeated attempt, and returns the number of each reason. */
  Map<String, Integer> assertEachRepetitionHasItsReason() {
    events.attempts().values().forEach(this::explainAttempts);
    explainJoinings();
    assertThat(reasons).as("repetitions").doesNotContainKey(UNEXPLAINED);
    return reasons;
  }

  private void explainAttempts(List<Attempt> attempts) {
    for (int i = 1; i < attempts.size(); i++) {
      String reason = reason(attempts.get(i - 1), attempts.get(i));
      if (reason.equals(UNEXPLAINED)) {
        log.error("unexplained: {} of {}", attempts.get(i), attempts);
      }
      reasons.merge(reason, 1, Integer::sum);
    }
  }

  private String reason(Attempt before, Attempt after) {
    if (before.outcome().equals("failed")
        && after.start() >= before.end()
        && after.retried() > before.retried()) {
      return "after a failure";
    }
    if (isUnsettledByKill(before) && after.start() >= before.member().doomedAt()) {
      return "after a kill";
    }
    return wasLost(before, after) ? "after a lost lease" : UNEXPLAINED;
  }

  private static boolean isUnsettledByKill(Attempt attempt) {
    return attempt.member().wasKilled()
        && (attempt.end() == 0 || attempt.end() >= attempt.member().doomedAt() - ON_THE_WAY);
  }

  /** The worker reports a lost lease during the attempt or when it settles. */
  private boolean wasLost(Attempt before, Attempt after) {
    return lossesOf(before).stream()
        .anyMatch(loss -> before.member() != after.member() || loss.at() <= after.start());
  }

  private List<Loss> lossesOf(Attempt attempt) {
    return events.lost().getOrDefault(attempt.id(), List.of()).stream()
        .filter(loss -> loss.member() == attempt.member())
        .filter(loss -> loss.at() >= attempt.start())
        .filter(loss -> attempt.end() == 0 || loss.at() <= attempt.end() + ON_THE_WAY)
        .toList();
  }

  /**
   * Tasks of a group are joined again when the process that did it was killed before it was done.
   * Only Go's can have enqueued what they made by then: deleting the members is a step of its own.
   */
  private void explainJoinings() {
    Map<String, List<Joining>> byMember = new HashMap<>();
    events
        .joined()
        .values()
        .forEach(
            joining ->
                joining
                    .tasks()
                    .forEach(
                        task ->
                            byMember.computeIfAbsent(task, t -> new ArrayList<>()).add(joining)));
    for (List<Joining> joinings : byMember.values()) {
      joinings.sort(Comparator.comparingLong(Joining::at));
      for (int i = 1; i < joinings.size(); i++) {
        Joining before = joinings.get(i - 1);
        if (!wasCutShort(before) || joinings.get(i).at() < before.member().doomedAt()) {
          log.error("unexplained: {} and then {}", before, joinings.get(i));
          reasons.merge(UNEXPLAINED, 1, Integer::sum);
        } else if (events.attempts().containsKey(before.id())) {
          reasons.merge("joined again after a kill between two steps of Go", 1, Integer::sum);
        }
      }
    }
    for (Joining joining : events.joined().values()) {
      if (!events.attempts().containsKey(joining.id()) && !wasCutShort(joining)) {
        log.error("unexplained: never run though nobody was killed: {}", joining);
        reasons.merge(UNEXPLAINED, 1, Integer::sum);
      }
    }
  }

  private boolean wasCutShort(Joining joining) {
    Member member = joining.member();
    boolean wasEnqueued = events.attempts().containsKey(joining.id());
    return member.wasKilled()
        && joining.at() >= member.doomedAt() - ON_THE_WAY
        && (member.kind().equals("go") || !wasEnqueued);
  }

  /**
   * Each task is counted as done or as given up once. Failures are as many as handlers saw in the
   * retries of their tasks; what Go's recoverer has moved in spite of a lease that was not the one
   * it had found may be written over with an older count.
   */
  void assertCountersFit(String queue, long processedThere, long failedThere) {
    long done = 0;
    long failed = 0;
    long loggedFailed = 0;
    long surelyFailed = 0;
    long surelyProcessed = 0;
    long lost = 0;
    for (List<Attempt> attempts : events.attempts().values()) {
      Attempt last = attempts.get(attempts.size() - 1);
      if (!last.queue().equals(queue)) {
        continue;
      }
      boolean archived = last.outcome().equals("archive");
      done += archived ? 0 : 1;
      failed += last.retried() + (archived ? 1 : 0);
      for (Attempt attempt : attempts) {
        boolean surely =
            attempt.end() != 0 && !isUnsettledByKill(attempt) && lossesOf(attempt).isEmpty();
        boolean isFailure = Set.of("failed", "archive").contains(attempt.outcome());
        loggedFailed += isFailure ? 1 : 0;
        surelyFailed += surely && isFailure ? 1 : 0;
        surelyProcessed += surely ? 1 : 0;
      }
      lost += events.lost().getOrDefault(last.id(), List.of()).size();
    }
    log.info(
        "{}: {} processed and {} failed, while {} and {} were logged as ended well before a kill",
        queue,
        processedThere,
        failedThere,
        surelyProcessed,
        surelyFailed);
    assertThat(processedThere - failedThere).as("done in %s", queue).isEqualTo(done);
    assertThat(failedThere).as("failed in %s", queue).isBetween(failed, failed + lost);
    assertThat(failedThere).isBetween(surelyFailed, loggedFailed + kills * HELD + lost);
    assertThat(processedThere).isGreaterThanOrEqualTo(surelyProcessed);
  }
}
