package io.asynq4j.schedule;

import io.asynq4j.broker.ScheduleLedger.State;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An entry in a timetable, with how far it is. Used by one thread. */
final class Slot {

  private final ScheduleEntry entry;
  private State state;
  private Optional<Instant> next;
  private @Nullable Instant lastFailure;

  Slot(ScheduleEntry entry, State state) {
    this.entry = entry;
    this.state = state;
    this.next = afterDecided();
  }

  private Optional<Instant> afterDecided() {
    return entry.schedule().next(state.decided(), state.anchor());
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

  /** The next instant that is to be fired; empty when there is none, or it is paused. */
  Optional<Instant> next() {
    return state.paused() ? Optional.empty() : next;
  }

  /** What is to be shown as its next instant: not one that has passed and is left out. */
  Optional<Instant> nextAfter(Instant now) {
    return next()
        .flatMap(first -> first.isAfter(now) ? next : entry.schedule().next(now, state.anchor()));
  }

  /** The instants that are to be fired now, in their order. */
  List<Instant> due(Instant now, Duration grace) {
    Optional<Instant> first = next();
    if (first.isEmpty() || first.get().isAfter(now)) {
      return List.of();
    }
    List<Instant> due = Due.instants(entry.schedule(), entry.missed(), state, grace, now);
    if (due.isEmpty()) {
      // All of them are left out, so there is nothing before the first that is to come.
      next = entry.schedule().next(now, state.anchor());
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
}
