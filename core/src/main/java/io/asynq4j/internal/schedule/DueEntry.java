package io.asynq4j.internal.schedule;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.broker.ScheduleLedger.State;
import io.asynq4j.schedule.MissedPolicy;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.schedule.SchedulerListener.Firing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An entry in a timetable and its progress. Used by one thread. */
final class DueEntry {

  /** Knowledge of the ledger's state. */
  enum Knowledge {
    /** Unknown: the entry has to be enrolled. */
    NONE,
    /** The ledger is being read, or has omitted the entry. */
    ASKED,
    /** It may have changed, so the ledger has to be read. */
    OUTDATED,
    CURRENT
  }

  /** A run request that is older than this has expired. */
  private static final Duration REQUEST_AGE = Duration.ofMinutes(1);

  private final ScheduleEntry entry;
  private final RecurringSchedule schedule;
  private State state;
  private Optional<Instant> next;
  private Knowledge knowledge = Knowledge.NONE;
  private boolean underWay;
  private Instant restsUntil = Instant.MIN;
  private @Nullable Instant lastFailure;

  DueEntry(ScheduleEntry entry, State state) {
    this.entry = entry;
    this.schedule = (RecurringSchedule) entry.schedule();
    this.state = state;
    this.next = schedule.next(state.decided(), state.anchor());
  }

  ScheduleEntry entry() {
    return entry;
  }

  State state() {
    return state;
  }

  void state(State newState) {
    this.state = newState;
    this.next = schedule.next(state.decided(), state.anchor());
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

  /** Sets whether a call fires the entry. Its queue, and so its lane, may move meanwhile. */
  void underWay(boolean isUnderWay) {
    this.underWay = isUnderWay;
  }

  /** Returns whether the state is known and no call fires the entry. */
  boolean isReady() {
    return knowledge == Knowledge.CURRENT && !underWay;
  }

  /** Fires nothing before this time. */
  void restUntil(Instant time) {
    this.restsUntil = time;
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
    return next().flatMap(first -> first.isAfter(now) ? next : schedule.next(now, state.anchor()));
  }

  /** One task to enqueue, as listeners and as the ledger see it. */
  record PendingFire(DueEntry entry, Firing firing, ScheduleLedger.Firing inLedger) {}

  /** Returns what to fire now: a run that an operator requested, and the due instants in order. */
  List<PendingFire> due(Instant now, SchedulerConfig config) {
    List<PendingFire> fires = new ArrayList<>();
    Instant request = state.runRequested();
    if (request != null && request.isAfter(now.minus(REQUEST_AGE))) {
      fires.add(fire(null, request, now, config));
    }
    Instant decided = state.decided();
    for (Instant instant : dueInstants(now, config.grace())) {
      fires.add(fire(decided, instant, now, config));
      decided = instant;
    }
    return fires;
  }

  /**
   * @param decided null for a requested run
   */
  private PendingFire fire(
      @Nullable Instant decided, Instant instant, Instant now, SchedulerConfig config) {
    Task task = entry.task();
    if (config.instantHeader() != null) {
      Map<String, String> headers = new LinkedHashMap<>(task.headers());
      headers.put(config.instantHeader(), instant.toString());
      task = task.withHeaders(headers);
    }
    NewTask newTask = NewTask.of(task, entry.options(), now);
    return new PendingFire(
        this,
        new Firing(entry, instant, decided == null, newTask.message().id()),
        new ScheduleLedger.Firing(entry.name(), decided, instant, newTask));
  }

  /** Returns, in order, the passed and undecided instants that the policy selects. */
  List<Instant> dueInstants(Instant now, Duration grace) {
    if (next().filter(first -> !first.isAfter(now)).isEmpty()) {
      return List.of();
    }
    int most = entry.missed() instanceof MissedPolicy.RunAll all ? all.most() : 1;
    Instant start = state.decided();
    if (entry.missed() instanceof MissedPolicy.Skip && start.isBefore(now.minus(grace))) {
      start = now.minus(grace).minusNanos(1);
    }
    Deque<Instant> due = new ArrayDeque<>();
    schedule
        .instants(schedule.shortcut(start, now, most), state.anchor())
        .takeWhile(instant -> !instant.isAfter(now))
        .forEach(
            instant -> {
              due.add(instant);
              if (due.size() > most) {
                due.remove();
              }
            });
    if (due.isEmpty()) {
      // All of them are skipped, so the next instant is in the future.
      next = schedule.next(now, state.anchor());
    }
    return List.copyOf(due);
  }

  /** Returns whether a failure of this instant has not been reported yet. */
  boolean isNewFailure(Instant instant) {
    if (lastFailure != null && !instant.isAfter(lastFailure)) {
      return false;
    }
    lastFailure = instant;
    return true;
  }

  /** Returns the queue of the entry's tasks. */
  QueueName queue() {
    return Objects.requireNonNullElse(entry.options().queue(), QueueName.DEFAULT);
  }

  /** Returns the entry in the form of the ledger. */
  ScheduleLedger.Entry inLedger() {
    return new ScheduleLedger.Entry(entry.name(), queue(), schedule.spec());
  }
}
