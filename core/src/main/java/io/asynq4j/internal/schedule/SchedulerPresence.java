package io.asynq4j.internal.schedule;

import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.Presence.SchedulerEntry;
import io.asynq4j.internal.schedule.LaneExecutor.Lane;
import io.asynq4j.internal.schedule.LaneExecutor.Purpose;
import io.asynq4j.internal.text.OptionTextCodec;
import io.asynq4j.schedule.ScheduleEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Publishes the entries of a scheduler to inspectors, of Go and of asynq4j. Used by one thread. */
final class SchedulerPresence {

  private final Presence presence;
  private final LaneExecutor lanes;
  private final Lane lane;
  private final String schedulerId;
  private final Duration heartbeat;
  private Instant nextTime = Instant.MIN;
  private boolean shown;

  SchedulerPresence(Presence presence, LaneExecutor lanes, String schedulerId, Duration heartbeat) {
    this.presence = presence;
    this.lanes = lanes;
    this.lane = lanes.of(Purpose.PRESENCE);
    this.schedulerId = schedulerId;
    this.heartbeat = heartbeat;
  }

  /** Marks the published entries as outdated. */
  void renew() {
    nextTime = Instant.MIN;
  }

  /** Publishes the entries if that is due. */
  void show(Timetable timetable, Instant now) {
    if (now.isBefore(nextTime) || !lanes.isFree(lane)) {
      return;
    }
    List<SchedulerEntry> entries =
        timetable.entries().stream().map(due -> entry(due, now)).toList();
    shown = true;
    nextTime = now.plus(heartbeat);
    lanes.run(
        lane,
        () -> presence.showEntries(schedulerId, entries, heartbeat.multipliedBy(2)),
        () -> {},
        failure -> renew());
  }

  private static SchedulerEntry entry(DueEntry due, Instant now) {
    ScheduleEntry entry = due.entry();
    return new SchedulerEntry(
        entry.name(),
        entry.schedule().spec(),
        entry.task().type(),
        entry.task().payload(),
        OptionTextCodec.of(entry.options(), entry.task().headers()),
        due.nextAfter(now).orElse(null),
        due.state().last());
  }

  void hide() {
    if (shown) {
      renew();
      lanes.run(lane, () -> presence.hideEntries(schedulerId), () -> shown = false, failure -> {});
    }
  }
}
