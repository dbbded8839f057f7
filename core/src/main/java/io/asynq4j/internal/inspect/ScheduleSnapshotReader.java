package io.asynq4j.internal.inspect;

import io.asynq4j.TaskOptions;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.Presence.SchedulerEntry;
import io.asynq4j.internal.broker.ScheduleStore;
import io.asynq4j.internal.broker.ScheduleStore.Known;
import io.asynq4j.internal.text.OptionTextCodec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Joins the entries that live schedulers publish with the stored ones. An unreadable row is marked
 * as broken and hides no other. Used once, by one thread.
 */
public final class ScheduleSnapshotReader {

  private final Broker broker;

  /** Stored entries, readable or not, by ID. */
  private final Map<String, ScheduleSnapshot> stored = new HashMap<>();

  private final Map<String, Integer> brokenOfScheduler = new HashMap<>();

  public ScheduleSnapshotReader(Broker broker) {
    this.broker = broker;
  }

  /** Returns all entries, by ID. */
  public List<ScheduleSnapshot> read() {
    broker
        .schedules()
        .known(broken -> stored.put(broken.name(), unreadable(broken)))
        .forEach(known -> stored.put(known.entry().name(), stored(known)));
    List<ScheduleSnapshot> rows = new ArrayList<>();
    broker
        .presence()
        .schedulerEntries(broken -> rows.add(brokenLive(broken)))
        .forEach(shown -> rows.add(live(shown, stored.get(shown.id()))));
    Set<String> live = rows.stream().map(ScheduleSnapshot::id).collect(Collectors.toSet());
    stored.values().stream().filter(row -> !live.contains(row.id())).forEach(rows::add);
    rows.sort(Comparator.comparing(ScheduleSnapshot::id));
    return List.copyOf(rows);
  }

  /** An entry of a live scheduler that cannot be read: the stored data, marked as broken. */
  private ScheduleSnapshot brokenLive(Presence.Unreadable broken) {
    String id = broken.id().isEmpty() ? numbered(broken.owner()) : broken.id();
    ScheduleSnapshot known = stored.get(id);
    ScheduleSnapshot.Builder row =
        known == null
            ? ScheduleSnapshot.builder(id, "")
            : ScheduleSnapshot.builder(id, known.spec())
                .options(known.options())
                .previous(known.previous())
                .pausedSince(known.pausedSince())
                .isRemembered(true);
    return row.isLive(true).problem(broken.reason()).build();
  }

  /** Names a row without an ID, so that rows are distinguishable. */
  private String numbered(String scheduler) {
    return scheduler + "#" + brokenOfScheduler.merge(scheduler, 1, Integer::sum);
  }

  /** An entry that a live scheduler publishes, and the stored one, if there is one. */
  private static ScheduleSnapshot live(SchedulerEntry shown, @Nullable ScheduleSnapshot stored) {
    OptionTextCodec.Read read = OptionTextCodec.read(shown.options());
    return ScheduleSnapshot.builder(shown.id(), shown.spec())
        .taskType(shown.taskType())
        .taskPayload(shown.taskPayload())
        .options(read.options())
        .unreadOptions(read.unread())
        .next(shown.next())
        .previous(shown.previous())
        .pausedSince(stored == null ? null : stored.pausedSince())
        .isLive(true)
        .isRemembered(stored != null)
        .problem(stored == null ? null : stored.problem())
        .build();
  }

  private static ScheduleSnapshot stored(Known known) {
    return ScheduleSnapshot.builder(known.entry().name(), known.entry().spec())
        .options(TaskOptions.of(o -> o.queue(known.entry().queue().value())))
        .previous(known.state().last())
        .pausedSince(known.state().pausedSince())
        .isRemembered(true)
        .build();
  }

  private static ScheduleSnapshot unreadable(ScheduleStore.Unreadable unreadable) {
    return ScheduleSnapshot.builder(unreadable.name(), "")
        .options(queueOption(unreadable.queue()))
        .isRemembered(true)
        .problem(unreadable.reason())
        .build();
  }

  private static TaskOptions queueOption(String queue) {
    try {
      return TaskOptions.of(o -> o.queue(queue));
    } catch (IllegalArgumentException e) {
      return TaskOptions.defaults();
    }
  }
}
