package io.asynq4j.schedule;

import io.asynq4j.broker.OptionTexts;
import io.asynq4j.broker.Presence;
import io.asynq4j.broker.Presence.SchedulerEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Shows the entries of a scheduler to inspectors, Go's and ours. Used by one thread. */
final class Showcase {

  private final Presence presence;
  private final String schedulerId;
  private final Duration heartbeat;
  private Instant nextTime = Instant.MIN;
  private boolean shown;

  Showcase(Presence presence, String schedulerId, Duration heartbeat) {
    this.presence = presence;
    this.schedulerId = schedulerId;
    this.heartbeat = heartbeat;
  }

  /** Whatever was shown is no longer true. */
  void renew() {
    nextTime = Instant.MIN;
  }

  /** Shows the entries, when it is time for it. */
  void show(Timetable timetable, Instant now) {
    if (now.isBefore(nextTime)) {
      return;
    }
    List<SchedulerEntry> entries =
        timetable.slots().stream().map(slot -> entry(slot, now)).toList();
    presence.showEntries(schedulerId, entries, heartbeat.multipliedBy(2));
    shown = true;
    nextTime = now.plus(heartbeat);
  }

  private static SchedulerEntry entry(Slot slot, Instant now) {
    ScheduleEntry entry = slot.entry();
    return new SchedulerEntry(
        entry.name(),
        entry.schedule().spec(),
        entry.task().type(),
        entry.task().payload(),
        OptionTexts.of(entry.options(), entry.task().headers()),
        slot.nextAfter(now).orElse(null),
        slot.state().last());
  }

  void hide() {
    if (shown) {
      shown = false;
      renew();
      presence.hideEntries(schedulerId);
    }
  }
}
