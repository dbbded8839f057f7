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

/** An entry in a timetable and its progress. Used by one thread. */
final class DueEntry {

  /** Knowledge of the ledger's state. */
  enum Knowledge {
    /** Unknown: the entry has to be enrolled. */
    NONE,
    /** The ledger has been read. */
    ASKED,
    /** It may have changed, so the ledger has to be read. */
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

  /** Marks the state as possibly changed. Earlier reads do not count. */
  void outdated() {
    if (knowledge != Knowledge.NONE) {
      knowledge = Knowledge.OUTDATED;
    }
  }

  /** Marks the start or end of a call that fires it. */
  void underWay(boolean isUnderWay) {
    this.underWay = isUnderWay;
  }

  /** Fires nothing before this time. */
  void restUntil(Instant time) {
    this.restsUntil = time;
  }

  /** Returns whether it can be fired, considering its state and earlier calls. */
  boolean isReady() {
    return knowledge == Knowledge.CURRENT && !underWay;
  }

  boolean rests(Instant now) {
    return now.isBefore(restsUntil);
  }

  /** Returns when there is something to fire; empty if there is nothing, or it is paused. */
  Optional<Instant> nextTry() {
    return next().map(instant -> instant.isBefore(restsUntil) ? restsUntil : instant);
  }

  /** Returns the next instant to fire; empty if there is none, or it is paused. */
  Optional<Instant> next() {
    return state.paused() ? Optional.empty() : next;
  }

  /** Returns the next instant to publish: never a past one that is skipped. */
  Optional<Instant> nextAfter(Instant now) {
    return next()
        .flatMap(first -> first.isAfter(now) ? next : schedule().next(now, state.anchor()));
  }

  /** Returns the instants to fire now, in order. */
  List<Instant> due(Instant now, Duration grace) {
    Optional<Instant> first = next();
    if (first.isEmpty() || first.get().isAfter(now)) {
      return List.of();
    }
    List<Instant> due = DueInstants.instants(schedule(), entry.missed(), state, grace, now);
    if (due.isEmpty()) {
      // All of them are skipped, so the next instant is in the future.
      next = schedule().next(now, state.anchor());
    }
    return due;
  }

  /** Returns whether a failure of this instant has not been reported yet. */
  boolean isNewFailure(Instant instant) {
    if (lastFailure != null && !instant.isAfter(lastFailure)) {
      return false;
    }
    lastFailure = instant;
    return true;
  }

  /** Returns the queue of an entry's tasks. */
  static QueueName queue(ScheduleEntry entry) {
    QueueName queue = entry.options().queue();
    return queue != null ? queue : QueueName.DEFAULT;
  }

  /** Returns the entry in the form of the ledger. */
  static ScheduleLedger.Entry inLedger(ScheduleEntry entry) {
    return new ScheduleLedger.Entry(entry.name(), queue(entry), entry.schedule().spec());
  }

  /** Returns the task for one instant. It has the instant in a header if a header name is given. */
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
