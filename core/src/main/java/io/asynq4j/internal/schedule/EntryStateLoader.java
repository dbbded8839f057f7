package io.asynq4j.internal.schedule;

import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.broker.ScheduleLedger.State;
import io.asynq4j.internal.schedule.DueEntry.Knowledge;
import io.asynq4j.internal.schedule.LaneExecutor.Lane;
import io.asynq4j.internal.schedule.LaneExecutor.Purpose;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Reads the progress of entries from the ledger, and enrolls unknown entries. Used by one thread.
 */
final class EntryStateLoader {

  private final ScheduleLedger ledger;
  private final Timetable timetable;
  private final LaneExecutor lanes;
  private final Runnable changed;
  private final BiConsumer<List<DueEntry>, Throwable> failed;

  /**
   * @param changed called when the state of entries differs from the known one
   * @param failed called with entries whose state could not be read
   */
  EntryStateLoader(
      ScheduleLedger ledger,
      Timetable timetable,
      LaneExecutor lanes,
      Runnable changed,
      BiConsumer<List<DueEntry>, Throwable> failed) {
    this.ledger = ledger;
    this.timetable = timetable;
    this.lanes = lanes;
    this.changed = changed;
    this.failed = failed;
  }

  /** Reads entries whose state may have changed. */
  void look() {
    ask(Knowledge.OUTDATED, Purpose.ENTRIES, ledger::look, Knowledge.NONE);
  }

  /** Enrolls entries whose state is unknown. */
  void enroll() {
    // An entry that the ledger still omits cannot be read: the next look() reads it again.
    ask(Knowledge.NONE, Purpose.NEW_ENTRIES, ledger::enroll, Knowledge.ASKED);
  }

  private void ask(
      Knowledge before,
      Purpose purpose,
      Function<Collection<ScheduleLedger.Entry>, Map<String, State>> question,
      Knowledge withoutAnswer) {
    Map<Lane, List<DueEntry>> byLane = new LinkedHashMap<>();
    for (DueEntry slot : timetable.slots()) {
      if (slot.knowledge() == before) {
        byLane
            .computeIfAbsent(
                lanes.of(purpose, DueEntry.queue(slot.entry())), any -> new ArrayList<>())
            .add(slot);
      }
    }
    byLane.forEach(
        (lane, slots) -> {
          if (!lanes.isFree(lane)) {
            return;
          }
          List<ScheduleLedger.Entry> entries =
              slots.stream().map(slot -> DueEntry.inLedger(slot.entry())).toList();
          slots.forEach(slot -> slot.knowledge(Knowledge.ASKED));
          lanes.run(
              lane,
              () -> question.apply(entries),
              states -> slots.forEach(slot -> answered(slot, states, withoutAnswer)),
              failure -> {
                slots.forEach(slot -> settle(slot, before));
                failed.accept(slots, failure);
              });
        });
  }

  private void answered(DueEntry slot, Map<String, State> states, Knowledge withoutAnswer) {
    State state = states.get(slot.entry().name());
    if (state == null) {
      settle(slot, withoutAnswer);
      return;
    }
    if (!state.equals(slot.state())) {
      slot.state(state);
      changed.run();
    }
    settle(slot, Knowledge.CURRENT);
  }

  /** Updates the knowledge, unless the entry has changed since the ledger was read. */
  private static void settle(DueEntry slot, Knowledge knowledge) {
    if (slot.knowledge() == Knowledge.ASKED) {
      slot.knowledge(knowledge);
    }
  }
}
