package io.asynq4j.internal.schedule;

import io.asynq4j.BrokerException;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.Presence.SchedulerEvent;
import io.asynq4j.internal.schedule.LaneExecutor.Lane;
import io.asynq4j.internal.schedule.LaneExecutor.Purpose;
import io.asynq4j.schedule.SchedulerListener.Firing;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records the tasks that entries have enqueued, for inspectors. Used by one thread. */
final class ScheduleHistoryWriter {

  private static final Logger log = LoggerFactory.getLogger(ScheduleHistoryWriter.class);

  /** Maximum number of events that wait for a cluster server; beyond it the oldest are dropped. */
  private static final int MOST_WAITING = 1_000;

  private final Presence presence;
  private final LaneExecutor lanes;
  private final Map<Lane, Deque<Runnable>> waiting = new LinkedHashMap<>();

  ScheduleHistoryWriter(Presence presence, LaneExecutor lanes) {
    this.presence = presence;
    this.lanes = lanes;
  }

  /** Adds an event, which the next {@link #write} writes. */
  void add(Firing enqueued, Instant now) {
    String entry = enqueued.entry().name();
    SchedulerEvent event = new SchedulerEvent(enqueued.taskId(), now);
    // The history of an entry may be on a different server than its queue.
    Lane lane = lanes.of(Purpose.HISTORY, presence.shardOfEvents(entry));
    waiting
        .computeIfAbsent(lane, any -> new ArrayDeque<>())
        .add(() -> presence.recordEvent(entry, event));
  }

  /** Writes the waiting events, where that is possible now. */
  void write() {
    new LinkedHashMap<>(waiting)
        .forEach(
            (lane, events) -> {
              while (events.size() > MOST_WAITING) {
                events.remove();
              }
              if (lanes.isFree(lane)) {
                waiting.remove(lane);
                write(lane, events);
              }
            });
  }

  private void write(Lane lane, Deque<Runnable> events) {
    try {
      lanes.run(
          lane,
          () -> events.forEach(Runnable::run),
          () -> {},
          failure -> {
            // In a cluster the lane retries later; otherwise all of Redis is unavailable.
            if (lanes.isSharded()) {
              events.addAll(waiting.getOrDefault(lane, new ArrayDeque<>()));
              waiting.put(lane, events);
            }
          });
    } catch (BrokerException e) {
      log.warn("some of {} tasks are missing from the history of their entries", events.size(), e);
    }
  }
}
