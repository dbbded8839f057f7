package io.asynq4j.internal.schedule;

import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.broker.ScheduleLedger.State;
import io.asynq4j.internal.schedule.DueEntry.Knowledge;
import io.asynq4j.internal.schedule.DueEntry.PendingFire;
import io.asynq4j.internal.schedule.LaneExecutor.Lane;
import io.asynq4j.internal.schedule.LaneExecutor.Purpose;
import io.asynq4j.schedule.ScheduleEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The current entries of a scheduler with their progress, which it reads from the ledger. Used by
 * one thread.
 */
final class Timetable {

  private final ScheduleLedger ledger;
  private final LaneExecutor lanes;
  private final Runnable changed;
  private final BiConsumer<List<DueEntry>, Throwable> failed;
  private final Map<String, DueEntry> entries = new LinkedHashMap<>();
  private Map<String, ScheduleEntry> adopted = Map.of();

  /**
   * @param changed called when the state of entries differs from the known one
   * @param failed called with entries whose state could not be read
   */
  Timetable(
      ScheduleLedger ledger,
      LaneExecutor lanes,
      Runnable changed,
      BiConsumer<List<DueEntry>, Throwable> failed) {
    this.ledger = ledger;
    this.lanes = lanes;
    this.changed = changed;
    this.failed = failed;
  }

  boolean isOf(Map<String, ScheduleEntry> all) {
    return adopted == all;
  }

  /**
   * Applies changes. A new entry starts now, until its state is known.
   *
   * @return the names of removed entries
   */
  List<String> adopt(Map<String, ScheduleEntry> all, Instant now) {
    List<String> gone = new ArrayList<>(entries.keySet());
    gone.removeAll(all.keySet());
    gone.forEach(entries::remove);
    all.forEach(
        (name, entry) -> {
          DueEntry before = entries.get(name);
          if (before == null || !before.entry().equals(entry)) {
            State state =
                before != null && before.entry().schedule().equals(entry.schedule())
                    ? before.state()
                    : State.from(now);
            entries.put(name, new DueEntry(entry, state));
          }
        });
    adopted = all;
    return gone;
  }

  Set<String> names() {
    return adopted.keySet();
  }

  Collection<DueEntry> entries() {
    return entries.values();
  }

  /** Discards all knowledge of the ledger's states. */
  void forgetStates() {
    entries.values().forEach(entry -> entry.knowledge(Knowledge.NONE));
  }

  /** Marks the ledger's states as possibly changed. */
  void outdated() {
    entries.values().forEach(DueEntry::outdated);
  }

  /** Reads entries whose state may have changed. */
  void look() {
    read(Knowledge.OUTDATED, Purpose.ENTRIES, ledger::look, Knowledge.NONE);
  }

  /** Enrolls entries whose state is unknown. */
  void enroll() {
    // An entry that the ledger still omits cannot be read: the next look() reads it again.
    read(Knowledge.NONE, Purpose.NEW_ENTRIES, ledger::enroll, Knowledge.ASKED);
  }

  private void read(
      Knowledge before,
      Purpose purpose,
      Function<Collection<ScheduleLedger.Entry>, Map<String, State>> call,
      Knowledge withoutAnswer) {
    Map<Lane, List<DueEntry>> byLane =
        entries.values().stream()
            .filter(entry -> entry.knowledge() == before)
            .collect(Collectors.groupingBy(entry -> lanes.of(purpose, entry.queue())));
    byLane.forEach(
        (lane, some) -> {
          if (!lanes.isFree(lane)) {
            return;
          }
          List<ScheduleLedger.Entry> inLedger = some.stream().map(DueEntry::inLedger).toList();
          some.forEach(entry -> entry.knowledge(Knowledge.ASKED));
          lanes.run(
              lane,
              () -> call.apply(inLedger),
              states -> some.forEach(entry -> answered(entry, states, withoutAnswer)),
              failure -> {
                some.forEach(entry -> settle(entry, before));
                failed.accept(some, failure);
              });
        });
  }

  private void answered(DueEntry entry, Map<String, State> states, Knowledge withoutAnswer) {
    State state = states.get(entry.entry().name());
    if (state == null) {
      settle(entry, withoutAnswer);
      return;
    }
    if (!state.equals(entry.state())) {
      entry.state(state);
      changed.run();
    }
    settle(entry, Knowledge.CURRENT);
  }

  /** Updates the knowledge, unless the entry has changed since the ledger was read. */
  private static void settle(DueEntry entry, Knowledge knowledge) {
    if (entry.knowledge() == Knowledge.ASKED) {
      entry.knowledge(knowledge);
    }
  }

  /** Returns what the selected entries have to fire at a time. */
  List<PendingFire> due(Instant now, SchedulerConfig config, Predicate<DueEntry> some) {
    return entries.values().stream()
        .filter(some)
        .flatMap(entry -> entry.due(now, config).stream())
        .toList();
  }

  /** Returns when one of the selected entries has something to fire. */
  Optional<Instant> next(Predicate<DueEntry> some) {
    return entries.values().stream()
        .filter(some)
        .flatMap(entry -> entry.nextTry().stream())
        .min(Instant::compareTo);
  }
}
