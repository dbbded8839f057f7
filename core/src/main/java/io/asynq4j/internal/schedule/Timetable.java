package io.asynq4j.internal.schedule;

import io.asynq4j.internal.broker.ScheduleLedger.State;
import io.asynq4j.internal.schedule.DueEntry.Knowledge;
import io.asynq4j.schedule.ScheduleEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** The current entries of a scheduler with their progress. Used by one thread. */
final class Timetable {

  private Map<String, ScheduleEntry> entries = Map.of();
  private final Map<String, DueEntry> slots = new LinkedHashMap<>();

  boolean isOf(Map<String, ScheduleEntry> all) {
    return entries == all;
  }

  /**
   * Applies changes. A new entry starts now, until its state is known.
   *
   * @return the names of removed entries
   */
  List<String> adopt(Map<String, ScheduleEntry> all, Instant now) {
    List<String> gone = new ArrayList<>(slots.keySet());
    gone.removeAll(all.keySet());
    gone.forEach(slots::remove);
    all.forEach(
        (name, entry) -> {
          DueEntry before = slots.get(name);
          if (before == null || !before.entry().equals(entry)) {
            State state =
                before != null && before.entry().schedule().equals(entry.schedule())
                    ? before.state()
                    : State.from(now);
            slots.put(name, new DueEntry(entry, state));
          }
        });
    entries = all;
    return gone;
  }

  Set<String> names() {
    return entries.keySet();
  }

  Collection<DueEntry> slots() {
    return slots.values();
  }

  /** Discards all knowledge of the ledger's states. */
  void forgetStates() {
    slots.values().forEach(slot -> slot.knowledge(Knowledge.NONE));
  }

  /** Marks the ledger's states as possibly changed. */
  void outdated() {
    slots.values().forEach(DueEntry::outdated);
  }

  /** Returns which of the selected entries to fire at a time, and for which instants. */
  Map<DueEntry, List<Instant>> due(Instant now, Duration grace, Predicate<DueEntry> some) {
    Map<DueEntry, List<Instant>> due = new LinkedHashMap<>();
    for (DueEntry slot : slots.values()) {
      List<Instant> instants = some.test(slot) ? slot.due(now, grace) : List.of();
      if (!instants.isEmpty()) {
        due.put(slot, instants);
      }
    }
    return due;
  }

  /** Returns when one of the selected entries has something to fire. */
  Optional<Instant> next(Predicate<DueEntry> some) {
    return slots.values().stream()
        .filter(some)
        .flatMap(slot -> slot.nextTry().stream())
        .min(Instant::compareTo);
  }
}
