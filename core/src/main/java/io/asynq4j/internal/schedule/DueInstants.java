package io.asynq4j.internal.schedule;

import io.asynq4j.internal.broker.ScheduleLedger.State;
import io.asynq4j.schedule.MissedPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Selects the instants of an entry to fire now. */
final class DueInstants {

  private DueInstants() {}

  /** Returns, in order, the passed and undecided instants that the policy selects. */
  static List<Instant> instants(
      RecurringSchedule schedule, MissedPolicy policy, State state, Duration grace, Instant now) {
    int most = policy instanceof MissedPolicy.RunAll all ? all.most() : 1;
    Instant start = state.decided();
    if (policy instanceof MissedPolicy.Skip && start.isBefore(now.minus(grace))) {
      start = now.minus(grace).minusNanos(1);
    }
    start = schedule.shortcut(start, now, most);
    Deque<Instant> due = new ArrayDeque<>();
    Optional<Instant> next = schedule.next(start, state.anchor());
    while (next.isPresent() && !next.get().isAfter(now)) {
      due.add(next.get());
      if (due.size() > most) {
        due.remove();
      }
      next = schedule.next(next.get(), state.anchor());
    }
    return List.copyOf(due);
  }
}
