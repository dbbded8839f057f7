package io.asynq4j.schedule;

import io.asynq4j.BrokerException;
import io.asynq4j.broker.ScheduleLedger;
import io.asynq4j.broker.ScheduleLedger.State;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a scheduler does again and again: it looks whether it leads, and if so, enqueues what is due
 * and shows its entries. Used by one thread.
 *
 * <p>Nothing here has to be right for an instant to fire once; that is the ledger's doing, which
 * refuses who does not know how far an entry is. A leader that slept for a minute believes what was
 * true a minute ago, is refused, looks again, and goes on.
 */
final class Rounds {

  private static final Logger log = LoggerFactory.getLogger(Rounds.class);

  /** How often a scheduler looks who leads, and what operators have done. */
  private static final Duration CHECK = Duration.ofSeconds(1);

  /** A request that was not heard for so long is no longer wanted. */
  private static final Duration REQUEST_AGE = Duration.ofMinutes(1);

  private final SchedulerConfig config;
  private final Entries entries;
  private final ScheduleLedger ledger;
  private final Leadership leadership;
  private final Trigger trigger;
  private final Showcase showcase;
  private final Clock clock;
  private final Runnable followClock;

  private final Timetable timetable = new Timetable();
  private final Set<String> toForget = new HashSet<>();
  private Instant nextCheck = Instant.MIN;
  private Instant nextLook = Instant.MIN;
  private boolean enrolled;
  private long revision;
  private @Nullable Instant awaySince;

  Rounds(
      SchedulerConfig config,
      Entries entries,
      ScheduleLedger ledger,
      Leadership leadership,
      Trigger trigger,
      Showcase showcase,
      Clock clock,
      Runnable followClock) {
    this.config = config;
    this.entries = entries;
    this.ledger = ledger;
    this.leadership = leadership;
    this.trigger = trigger;
    this.showcase = showcase;
    this.clock = clock;
    this.followClock = followClock;
  }

  /** Does what is to be done now. Returns when there is something to do next. */
  Instant round() {
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
        fire(clock.instant());
        showcase.show(timetable, now);
      }
      back(now);
    } catch (BrokerException e) {
      away(e, now);
      if (!leadership.isFollowing()) {
        trigger.tellFailure(timetable.due(now, config.grace()), e, now);
      }
      nextCheck = now.plus(CHECK);
      return nextCheck;
    }
    return leadership.isLeading()
        ? timetable.next().filter(nextCheck::isAfter).orElse(nextCheck)
        : nextCheck;
  }

  private void adoptChanges() {
    Map<String, ScheduleEntry> all = entries.all();
    if (!timetable.isOf(all)) {
      List<String> gone = timetable.adopt(all, clock.instant());
      if (leadership.isLeading()) {
        toForget.addAll(gone);
      }
      toForget.removeAll(all.keySet());
      enrolled = false;
      nextCheck = Instant.MIN;
    }
  }

  private void check(Instant now) {
    if (!now.isBefore(nextLook)) {
      followClock.run();
    }
    toForget.forEach(ledger::forget);
    toForget.clear();
    if (!leadership.check(timetable.names())) {
      enrolled = false;
      showcase.hide();
    } else if (!enrolled) {
      revision = ledger.revision();
      timetable.states(ledger.enroll(timetable.inLedger()));
      enrolled = true;
      showcase.renew();
    } else if (ledger.revision() != revision || !now.isBefore(nextLook)) {
      revision = ledger.revision();
      look(timetable.inLedger());
      showcase.renew();
    }
    if (!now.isBefore(nextLook)) {
      nextLook = now.plus(config.heartbeat());
    }
    nextCheck = now.plus(CHECK);
  }

  private void look(List<ScheduleLedger.Entry> some) {
    Map<String, State> states = ledger.look(some);
    timetable.states(states);
    List<ScheduleLedger.Entry> unknown =
        some.stream().filter(entry -> !states.containsKey(entry.name())).toList();
    if (!unknown.isEmpty()) {
      timetable.states(ledger.enroll(unknown));
    }
  }

  private void fire(Instant now) {
    Map<Slot, List<Instant>> due = timetable.due(now, config.grace());
    Map<Slot, Instant> requests = requests(now);
    if (due.isEmpty() && requests.isEmpty()) {
      return;
    }
    Trigger.Result result = trigger.fire(due, requests, now);
    if (result.outage() != null) {
      throw result.outage();
    }
    if (!result.stale().isEmpty()) {
      look(result.stale().stream().distinct().map(slot -> slot.entry().inLedger()).toList());
    }
  }

  private Map<Slot, Instant> requests(Instant now) {
    Map<Slot, Instant> requests = new LinkedHashMap<>();
    for (Slot slot : timetable.slots()) {
      Instant request = slot.state().runRequested();
      if (request != null && request.isAfter(now.minus(REQUEST_AGE))) {
        requests.put(slot, request);
      }
    }
    return requests;
  }

  private void away(BrokerException e, Instant now) {
    if (awaySince == null) {
      awaySince = now;
      log.warn("Redis cannot be used, the scheduler goes on trying: {}", e.getMessage());
    }
  }

  private void back(Instant now) {
    if (awaySince != null) {
      log.info("Redis is back after {} s", Duration.between(awaySince, now).toMillis() / 1000.0);
      awaySince = null;
    }
  }

  /** Leaves the rest to others. */
  void end() {
    try {
      leadership.resign();
      showcase.hide();
    } catch (BrokerException e) {
      log.warn(
          "the scheduler could not say goodbye; another takes over within {}", config.lease(), e);
    }
  }
}
