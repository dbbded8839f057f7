package io.asynq4j.internal.schedule;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.broker.ScheduleLedger.State;
import io.asynq4j.schedule.ScheduleEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An entry in a timetable, with how far it is. Used by one thread. */
final class DueEntry {

  /** What is known of the state that the ledger has. */
  enum Knowledge {
    /** Nothing: the entry has to be enrolled. */
    NONE,
    /** The ledger has been asked. */
    ASKED,
    /** It may have changed, so the ledger has to be asked. */
    OUTDATED,
    CURRENT
  }

  private final ScheduleEntry entry;
  private State state;
  private Optional<Instant> next;
  private Knowledge knowledge = Knowledge.NONE;
  private boolean underWay;
  private Instant restsUntil = Instant.MIN;
  private @Nullable Instant lastFailure;

  DueEntry(ScheduleEntry entry, State state) {
    this.entry = entry;
    this.state = state;
    this.next = afterDecided();
  }

  private Optional<Instant> afterDecided() {
    return schedule().next(state.decided(), state.anchor());
  }

  private RecurringSchedule schedule() {
    return RecurringSchedule.of(entry.schedule());
  }

  ScheduleEntry entry() {
    return entry;
  }

  State state() {
    return state;
  }

  void state(State newState) {
    if (!newState.equals(state)) {
      this.state = newState;
      this.next = afterDecided();
    }
  }

  Knowledge knowledge() {
    return knowledge;
  }

  void knowledge(Knowledge newKnowledge) {
    this.knowledge = newKnowledge;
  }

  /** The ledger's state may have changed. What was asked before this does not tell. */
  void outdated() {
    if (knowledge != Knowledge.NONE) {
      knowledge = Knowledge.OUTDATED;
    }
  }

  /** A call that fires it has begun or ended. */
  void underWay(boolean isUnderWay) {
    this.underWay = isUnderWay;
  }

  /** Fires nothing before this time. */
  void restUntil(Instant time) {
    this.restsUntil = time;
  }

  /** Whether it can be fired, as far as its state and earlier calls are concerned. */
  boolean isReady() {
    return knowledge == Knowledge.CURRENT && !underWay;
  }

  boolean rests(Instant now) {
    return now.isBefore(restsUntil);
  }

  /** When there is something to fire; empty when there is nothing, or it is paused. */
  Optional<Instant> nextTry() {
    return next().map(instant -> instant.isBefore(restsUntil) ? restsUntil : instant);
  }

  /** The next instant that is to be fired; empty when there is none, or it is paused. */
  Optional<Instant> next() {
    return state.paused() ? Optional.empty() : next;
  }

  /** What is to be shown as its next instant: not one that has passed and is left out. */
  Optional<Instant> nextAfter(Instant now) {
    return next()
        .flatMap(first -> first.isAfter(now) ? next : schedule().next(now, state.anchor()));
  }

  /** The instants that are to be fired now, in their order. */
  List<Instant> due(Instant now, Duration grace) {
    Optional<Instant> first = next();
    if (first.isEmpty() || first.get().isAfter(now)) {
      return List.of();
    }
    List<Instant> due = DueInstants.instants(schedule(), entry.missed(), state, grace, now);
    if (due.isEmpty()) {
      // All of them are left out, so there is nothing before the first that is to come.
      next = schedule().next(now, state.anchor());
    }
    return due;
  }

  /** Whether it has not been told yet that this instant failed. */
  boolean isNewFailure(Instant instant) {
    if (lastFailure != null && !instant.isAfter(lastFailure)) {
      return false;
    }
    lastFailure = instant;
    return true;
  }

  /** The queue that an entry enqueues into. */
  static QueueName queue(ScheduleEntry entry) {
    QueueName queue = entry.options().queue();
    return queue != null ? queue : QueueName.DEFAULT;
  }

  /** The entry as the ledger knows it. */
  static ScheduleLedger.Entry inLedger(ScheduleEntry entry) {
    return new ScheduleLedger.Entry(entry.name(), queue(entry), entry.schedule().spec());
  }

  /** The task for one instant. It carries the instant in a header if a header name is given. */
  NewTask newTask(Instant instant, @Nullable String instantHeader, Instant now) {
    Task task = entry.task();
    if (instantHeader == null) {
      return NewTask.of(task, entry.options(), now);
    }
    Map<String, String> headers = new LinkedHashMap<>(task.headers());
    headers.put(instantHeader, instant.toString());
    return NewTask.of(task.withHeaders(headers), entry.options(), now);
  }
}
