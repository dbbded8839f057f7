package io.asynq4j.internal.schedule;

import io.asynq4j.BrokerException;
import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.schedule.DueEntry.Knowledge;
import io.asynq4j.internal.schedule.LaneExecutor.CallResult;
import io.asynq4j.internal.schedule.LaneExecutor.Lane;
import io.asynq4j.internal.schedule.LaneExecutor.Purpose;
import io.asynq4j.schedule.ScheduleEntry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The main loop of a scheduler: checks whether it leads, and if so, enqueues due tasks and
 * publishes its entries. Used by one thread.
 *
 * <p>Firing once does not depend on this loop: the ledger refuses a caller with outdated progress
 * of an entry. A leader that was suspended for a minute has outdated state, is refused, reads again
 * and continues.
 *
 * <p>In a cluster no round waits for Redis: calls run in {@link LaneExecutor}, and each completed
 * call causes another round, which handles its result.
 */
public final class SchedulerLoop {

  private static final Logger log = LoggerFactory.getLogger(SchedulerLoop.class);

  /** Interval of the checks for leadership and operator actions. */
  private static final Duration CHECK = Duration.ofSeconds(1);

  /** A run request that is older than this has expired. */
  private static final Duration REQUEST_AGE = Duration.ofMinutes(1);

  /** How long a stopping scheduler waits for calls in flight, and then for its last calls. */
  private static final Duration LAST_CALLS = Duration.ofSeconds(2);

  private final SchedulerConfig config;
  private final ScheduleEntryRegistry entries;
  private final ScheduleLedger ledger;
  private final LaneExecutor lanes;
  private final LeaderElection leadership;
  private final FireDispatcher dispatcher;
  private final ScheduleHistoryWriter history;
  private final SchedulerPresence presence;
  private final EntryStateLoader states;
  private final Clock clock;
  private final Runnable followClock;

  private final Timetable timetable = new Timetable();
  private final Set<String> toForget = new HashSet<>();
  private Instant nextCheck = Instant.MIN;
  private Instant nextLook = Instant.MIN;

  /** The ledger's revision before the states were read; null if unknown. */
  private @Nullable Long revision;

  private @Nullable Instant awaySince;

  public SchedulerLoop(
      SchedulerConfig config,
      ScheduleEntryRegistry entries,
      ScheduleLedger ledger,
      LaneExecutor lanes,
      LeaderElection leadership,
      FireDispatcher dispatcher,
      ScheduleHistoryWriter history,
      SchedulerPresence presence,
      Clock clock,
      Runnable followClock) {
    this.config = config;
    this.entries = entries;
    this.ledger = ledger;
    this.lanes = lanes;
    this.leadership = leadership;
    this.dispatcher = dispatcher;
    this.history = history;
    this.presence = presence;
    this.states =
        new EntryStateLoader(ledger, timetable, lanes, presence::renew, this::reportStatesFailure);
    this.clock = clock;
    this.followClock = followClock;
  }

  /** Does the work that is due. Returns when to run the next round. */
  Instant round() {
    lanes.collect();
    adoptChanges();
    Instant now = clock.instant();
    if (timetable.names().isEmpty() && !leadership.isLeading()) {
      return now.plus(CHECK);
    }
    try {
      if (!now.isBefore(nextCheck)) {
        check(now);
      }
      if (leadership.isLeading()) {
        readStates();
        fire(clock.instant());
        presence.show(timetable, now);
      }
      history.write();
      back(now);
    } catch (BrokerException e) {
      away(e, now);
      if (!leadership.isFollowing()) {
        reportFailure(e, slot -> true);
      }
      nextCheck = now.plus(CHECK);
      return nextCheck;
    }
    return leadership.isLeading()
        ? timetable.next(this::canFire).filter(nextCheck::isAfter).orElse(nextCheck)
        : nextCheck;
  }

  /** Returns whether calls are in flight whose results another round has to handle. */
  boolean isBusy() {
    return lanes.isBusy();
  }

  private void adoptChanges() {
    Map<String, ScheduleEntry> all = entries.all();
    if (!timetable.isOf(all)) {
      List<String> gone = timetable.adopt(all, clock.instant());
      if (leadership.isLeading()) {
        toForget.addAll(gone);
      }
      toForget.removeAll(all.keySet());
      presence.renew();
      nextCheck = Instant.MIN;
    }
  }

  private void check(Instant now) {
    boolean isLook = !now.isBefore(nextLook);
    if (isLook) {
      lanes.run(lanes.of(Purpose.CLOCK), followClock, () -> {});
    }
    forget();
    leadership.check(timetable.names(), this::leadershipLost, this::leadershipUnknown);
    if (leadership.isLeading() && revision != null) {
      readRevision();
    }
    if (isLook) {
      timetable.outdated();
      nextLook = now.plus(config.heartbeat());
    }
    nextCheck = now.plus(CHECK);
  }

  private void forget() {
    if (!toForget.isEmpty()) {
      List<String> names = List.copyOf(toForget);
      boolean isSharded = lanes.isSharded();
      lanes.runPartly(
          lanes.of(Purpose.REMOVED_ENTRIES),
          () -> forget(names, isSharded),
          forgotten -> toForget.removeAll(forgotten),
          failure -> {});
    }
  }

  /** Runs on any thread. In a cluster, each entry may need a different server. */
  private CallResult<Set<String>> forget(List<String> names, boolean isSharded) {
    Set<String> forgotten = new HashSet<>();
    BrokerException failure = null;
    for (String name : names) {
      if (failure == null || isSharded) {
        try {
          ledger.forget(name);
          forgotten.add(name);
        } catch (BrokerException e) {
          failure = e;
        }
      }
    }
    return new CallResult<>(forgotten, failure);
  }

  private void leadershipLost() {
    timetable.forgetStates();
    revision = null;
    presence.hide();
  }

  private void leadershipUnknown(Throwable failure) {
    if (!leadership.isLeading() && !leadership.isFollowing()) {
      reportFailure(failure, slot -> true);
    }
  }

  private void readRevision() {
    lanes.run(
        lanes.of(Purpose.ENTRY_LIST),
        ledger::revision,
        read -> {
          if (!read.equals(revision)) {
            revision = read;
            timetable.outdated();
          }
        },
        failure -> reportFailure(failure, slot -> slot.knowledge() == Knowledge.NONE));
  }

  private void readStates() {
    if (revision == null) {
      // Before the states, so that no later change is missed.
      readRevision();
    }
    states.look();
    if (revision != null) {
      states.enroll();
    }
  }

  private void fire(Instant now) {
    Predicate<DueEntry> ready = slot -> canFire(slot) && !slot.rests(now);
    Map<DueEntry, List<Instant>> due = timetable.due(now, config.grace(), ready);
    Map<DueEntry, Instant> requests = requests(now, ready);
    if (!due.isEmpty() || !requests.isEmpty()) {
      dispatcher.fire(due, requests, now, this::reportLaneFailure);
      readStates();
    }
  }

  private boolean canFire(DueEntry slot) {
    return slot.isReady() && lanes.isFree(laneOf(slot));
  }

  private Lane laneOf(DueEntry slot) {
    return lanes.of(Purpose.ENTRIES, DueEntry.queue(slot.entry()));
  }

  private Map<DueEntry, Instant> requests(Instant now, Predicate<DueEntry> some) {
    Map<DueEntry, Instant> requests = new LinkedHashMap<>();
    for (DueEntry slot : timetable.slots()) {
      Instant request = slot.state().runRequested();
      if (request != null && request.isAfter(now.minus(REQUEST_AGE)) && some.test(slot)) {
        requests.put(slot, request);
      }
    }
    return requests;
  }

  private void reportStatesFailure(List<DueEntry> slots, Throwable failure) {
    reportFailure(failure, new HashSet<>(slots)::contains);
  }

  private void reportLaneFailure(Lane lane, Throwable failure) {
    reportFailure(failure, slot -> laneOf(slot).equals(lane));
  }

  private void reportFailure(Throwable failure, Predicate<DueEntry> some) {
    if (failure instanceof BrokerException e) {
      Instant now = clock.instant();
      dispatcher.reportFailure(timetable.due(now, config.grace(), some), e, now);
    }
  }

  private void away(BrokerException e, Instant now) {
    if (awaySince == null) {
      awaySince = now;
      log.warn("Redis is not usable, the scheduler retries: {}", e.getMessage());
    }
  }

  private void back(Instant now) {
    if (awaySince != null) {
      log.info(
          "Redis is usable again after {} s", Duration.between(awaySince, now).toMillis() / 1000.0);
      awaySince = null;
    }
  }

  /** Ends the loop, so that other schedulers take over. */
  void end() {
    lanes.finish(LAST_CALLS);
    try {
      boolean resigned = leadership.resign();
      presence.hide();
      if (!resigned) {
        log.warn(
            "the scheduler could not resign because Redis does not answer; another one takes over"
                + " within {}",
            config.lease());
      }
    } catch (BrokerException e) {
      log.warn(
          "the scheduler could not resign; another one takes over within {}", config.lease(), e);
    }
    lanes.finish(LAST_CALLS, EnumSet.of(Purpose.LEADERSHIP, Purpose.PRESENCE));
    lanes.close();
  }
}
