package io.asynq4j.internal.inspect;

import io.asynq4j.TaskOptions;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Presence.SchedulerEntry;
import io.asynq4j.internal.broker.ScheduleStore;
import io.asynq4j.internal.broker.ScheduleStore.Known;
import io.asynq4j.internal.text.OptionTextCodec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Joins the entries that live schedulers publish with the stored ones. An unreadable row is marked
 * as broken and hides no other. Used once, by one thread.
 */
public final class ScheduleSnapshotReader {

  private final Broker broker;
  private final Map<String, Known> known = new TreeMap<>();
  private final Map<String, ScheduleStore.Unreadable> broken = new TreeMap<>();
  private final List<ScheduleSnapshot> rows = new ArrayList<>();
  private final Map<String, Integer> brokenOfScheduler = new HashMap<>();

  public ScheduleSnapshotReader(Broker broker) {
    this.broker = broker;
  }

  /** Returns all entries, by ID. */
  public List<ScheduleSnapshot> read() {
    broker
        .schedules()
        .known(one -> broken.put(one.name(), one))
        .forEach(one -> known.put(one.entry().name(), one));
    Map<String, Known> left = new TreeMap<>(known);
    Map<String, ScheduleStore.Unreadable> brokenLeft = new TreeMap<>(broken);
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
      ScheduleStore.Unreadable unreadable = broken.get(shown.id());
      rows.add(live(shown, known.get(shown.id()), unreadable == null ? null : unreadable.reason()));
    }
    left.values().forEach(one -> rows.add(stored(one).build()));
    brokenLeft.values().forEach(one -> rows.add(unreadable(one).build()));
    rows.sort(Comparator.comparing(ScheduleSnapshot::id));
    return List.copyOf(rows);
  }

  /** An entry of a live scheduler that cannot be read: the stored data, marked as broken. */
  private ScheduleSnapshot brokenLive(String id, String reason) {
    Known stored = known.get(id);
    ScheduleStore.Unreadable unreadable = broken.get(id);
    ScheduleSnapshot.Builder row =
        stored != null
            ? stored(stored)
            : unreadable != null ? unreadable(unreadable) : ScheduleSnapshot.builder(id, "");
    return row.isLive(true).problem(reason).build();
  }

  /** Names a row without an ID, so that rows are distinguishable. */
  private String numbered(String scheduler) {
    return scheduler + "#" + brokenOfScheduler.merge(scheduler, 1, Integer::sum);
  }

  /**
   * An entry that a live scheduler publishes.
   *
   * @param broken why the stored entry cannot be read; null if it can, or if none is stored
   */
  private static ScheduleSnapshot live(
      SchedulerEntry shown, @Nullable Known known, @Nullable String broken) {
    OptionTextCodec.Read read = OptionTextCodec.read(shown.options());
    return ScheduleSnapshot.builder(shown.id(), shown.spec())
        .taskType(shown.taskType())
        .taskPayload(shown.taskPayload())
        .options(read.options())
        .unreadOptions(read.unread())
        .next(shown.next())
        .previous(shown.previous())
        .pausedSince(known == null ? null : known.state().pausedSince())
        .isLive(true)
        .isRemembered(known != null || broken != null)
        .problem(broken)
        .build();
  }

  /** A stored entry that no live scheduler publishes. */
  private static ScheduleSnapshot.Builder stored(Known known) {
    return ScheduleSnapshot.builder(known.entry().name(), known.entry().spec())
        .options(TaskOptions.of(o -> o.queue(known.entry().queue().value())))
        .previous(known.state().last())
        .pausedSince(known.state().pausedSince())
        .isRemembered(true);
  }

  /** A stored entry that cannot be read and that no live scheduler publishes. */
  private static ScheduleSnapshot.Builder unreadable(ScheduleStore.Unreadable unreadable) {
    return ScheduleSnapshot.builder(unreadable.name(), "")
        .options(queueOption(unreadable.queue()))
        .isRemembered(true)
        .problem(unreadable.reason());
  }

  private static TaskOptions queueOption(String queue) {
    try {
      return TaskOptions.of(o -> o.queue(queue));
    } catch (IllegalArgumentException e) {
      return TaskOptions.defaults();
    }
  }
}
