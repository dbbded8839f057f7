package io.asynq4j.internal.schedule;

import io.asynq4j.BrokerException;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.schedule.DueEntry.Knowledge;
import io.asynq4j.internal.schedule.DueEntry.PendingFire;
import io.asynq4j.internal.schedule.LaneExecutor.Lane;
import io.asynq4j.internal.schedule.LaneExecutor.Purpose;
import io.asynq4j.schedule.ScheduleEntry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
final class SchedulerLoop {

  private static final Logger log = LoggerFactory.getLogger(SchedulerLoop.class);

  /** Interval of the checks for leadership and operator actions. */
  private static final Duration CHECK = Duration.ofSeconds(1);

  /** How long a stopping scheduler waits for calls in flight, and then for its last calls. */
  private static final Duration LAST_CALLS = Duration.ofSeconds(2);

  private final SchedulerConfig config;
  private final ScheduleEntryRegistry entries;
  private final ScheduleLedger ledger;
  final LaneExecutor lanes;
  private final LeaderElection leadership;
  private final FireDispatcher dispatcher;
  private final ScheduleHistoryWriter history;
  private final SchedulerPresence presence;
  private final Timetable timetable;
  private final Clock clock;
  private final Runnable followClock;

  /** Names of removed entries. Other threads remove those whose data is deleted. */
  private final Set<String> toForget = ConcurrentHashMap.newKeySet();

  private Instant nextCheck = Instant.MIN;
  private Instant nextLook = Instant.MIN;

  /** The ledger's revision before the states were read; null if unknown. */
  private @Nullable Long revision;

  SchedulerLoop(
      SchedulerConfig config,
      ScheduleEntryRegistry entries,
      Broker broker,
      String schedulerId,
      WakeupSignal wakeUp,
      Runnable followClock) {
    this.config = config;
    this.entries = entries;
    this.clock = broker.clock();
    this.followClock = followClock;
    this.ledger =
        config.shared()
            ? broker.schedules()
            : new InMemoryScheduleLedger(broker.enqueueing(), clock);
    this.lanes = new LaneExecutor(broker.watches(), clock, wakeUp);
    this.leadership = new LeaderElection(ledger, lanes, schedulerId, config.lease());
    this.history = new ScheduleHistoryWriter(broker.presence(), lanes);
    this.presence =
        new SchedulerPresence(broker.presence(), lanes, schedulerId, config.heartbeat());
    this.dispatcher = new FireDispatcher(ledger, lanes, history, config.listeners());
    this.timetable =
        new Timetable(
            ledger,
            lanes,
            presence::renew,
            (some, failure) -> reportFailure(failure, new HashSet<>(some)::contains));
  }

  boolean isLeading() {
    return leadership.isLeading();
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
    } catch (BrokerException e) {
      if (!leadership.isFollowing()) {
        reportFailure(e, entry -> true);
      }
      nextCheck = now.plus(CHECK);
      return nextCheck;
    }
    return leadership.isLeading()
        ? timetable.next(this::canFire).filter(nextCheck::isAfter).orElse(nextCheck)
        : nextCheck;
  }

  /** Runs a round with all checks. Returns when an entry fires next. */
  Optional<Instant> step() {
    nextCheck = Instant.MIN;
    round();
    return timetable.next(this::canFire);
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
      lanes.run(lanes.of(Purpose.CLOCK), followClock, () -> {}, failure -> {});
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
      lanes.run(
          lanes.of(Purpose.REMOVED_ENTRIES),
          () -> forget(names, isSharded),
          () -> {},
          failure -> {});
    }
  }

  /** Runs on any thread. In a cluster, each entry may need a different server. */
  private void forget(List<String> names, boolean isSharded) {
    BrokerException failure = null;
    for (String name : names) {
      if (failure == null || isSharded) {
        try {
          ledger.forget(name);
          toForget.remove(name);
        } catch (BrokerException e) {
          failure = e;
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void leadershipLost() {
    timetable.forgetStates();
    revision = null;
    presence.hide();
  }

  private void leadershipUnknown(Throwable failure) {
    if (!leadership.isLeading() && !leadership.isFollowing()) {
      reportFailure(failure, entry -> true);
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
        failure -> reportFailure(failure, entry -> entry.knowledge() == Knowledge.NONE));
  }

  private void readStates() {
    if (revision == null) {
      // Before the states, so that no later change is missed.
      readRevision();
    }
    timetable.look();
    if (revision != null) {
      timetable.enroll();
    }
  }

  private void fire(Instant now) {
    Predicate<DueEntry> ready = entry -> canFire(entry) && !entry.rests(now);
    List<PendingFire> due = timetable.due(now, config, ready);
    if (!due.isEmpty()) {
      dispatcher.fire(
          due, now, (lane, failure) -> reportFailure(failure, entry -> laneOf(entry).equals(lane)));
      readStates();
    }
  }

  private boolean canFire(DueEntry entry) {
    return entry.isReady() && lanes.isFree(laneOf(entry));
  }

  private Lane laneOf(DueEntry entry) {
    return lanes.of(Purpose.ENTRIES, entry.queue());
  }

  private void reportFailure(Throwable failure, Predicate<DueEntry> some) {
    if (failure instanceof BrokerException e) {
      dispatcher.reportFailure(timetable.due(clock.instant(), config, some), e);
    }
  }

  /** Ends the loop, so that other schedulers take over. */
  void end() {
    lanes.finish(LAST_CALLS, EnumSet.allOf(Purpose.class));
    boolean resigned = false;
    String reason = "Redis does not respond";
    try {
      resigned = leadership.resign();
      presence.hide();
    } catch (BrokerException e) {
      log.debug("the last calls of the scheduler failed", e);
      reason = e.getMessage();
    }
    if (!resigned) {
      log.warn(
          "the scheduler could not resign; another one takes over within {}: {}",
          config.lease(),
          reason);
    }
    lanes.finish(LAST_CALLS, EnumSet.of(Purpose.LEADERSHIP, Purpose.PRESENCE));
    lanes.close();
  }
}
