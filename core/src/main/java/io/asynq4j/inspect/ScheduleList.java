package io.asynq4j.inspect;

import io.asynq4j.broker.Broker;
import io.asynq4j.broker.Presence.SchedulerEntry;
import io.asynq4j.broker.Schedules;
import io.asynq4j.broker.Schedules.Known;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Joins what live schedulers show with what is remembered of their entries. A row that cannot be
 * read is marked as broken and hides no other. Used once, by one thread.
 */
final class ScheduleList {

  private final Broker broker;
  private final Map<String, Known> known = new TreeMap<>();
  private final Map<String, Schedules.Unreadable> broken = new TreeMap<>();
  private final List<ScheduleSnapshot> rows = new ArrayList<>();
  private final Map<String, Integer> brokenOfScheduler = new HashMap<>();

  ScheduleList(Broker broker) {
    this.broker = broker;
  }

  /** All entries, by id. */
  List<ScheduleSnapshot> read() {
    broker
        .schedules()
        .known(one -> broken.put(one.name(), one))
        .forEach(one -> known.put(one.entry().name(), one));
    Map<String, Known> left = new TreeMap<>(known);
    Map<String, Schedules.Unreadable> brokenLeft = new TreeMap<>(broken);
    List<SchedulerEntry> live =
        broker
            .presence()
            .schedulerEntries(
                unreadable -> {
                  String id =
                      unreadable.id().isEmpty() ? numbered(unreadable.owner()) : unreadable.id();
                  left.remove(id);
                  brokenLeft.remove(id);
                  rows.add(brokenLive(id, unreadable.reason()));
                });
    for (SchedulerEntry shown : live) {
      left.remove(shown.id());
      brokenLeft.remove(shown.id());
      Schedules.Unreadable unreadable = broken.get(shown.id());
      rows.add(
          ScheduleSnapshot.live(
              shown, known.get(shown.id()), unreadable == null ? null : unreadable.reason()));
    }
    left.values().forEach(one -> rows.add(ScheduleSnapshot.remembered(one)));
    brokenLeft.values().forEach(one -> rows.add(ScheduleSnapshot.broken(one)));
    rows.sort(Comparator.comparing(ScheduleSnapshot::id));
    return List.copyOf(rows);
  }

  private ScheduleSnapshot brokenLive(String id, String reason) {
    Known remembered = known.get(id);
    Schedules.Unreadable unreadable = broken.get(id);
    return remembered != null
        ? ScheduleSnapshot.remembered(remembered).withBrokenLive(reason)
        : unreadable != null
            ? ScheduleSnapshot.broken(unreadable).withBrokenLive(reason)
            : ScheduleSnapshot.brokenLive(id, reason);
  }

  /** Names a row without an id, so that rows can be told apart. */
  private String numbered(String scheduler) {
    return scheduler + "#" + brokenOfScheduler.merge(scheduler, 1, Integer::sum);
  }
}
