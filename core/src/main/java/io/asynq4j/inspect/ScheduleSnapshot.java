package io.asynq4j.inspect;

import io.asynq4j.Payload;
import io.asynq4j.TaskOptions;
import io.asynq4j.broker.OptionTexts;
import io.asynq4j.broker.Presence.SchedulerEntry;
import io.asynq4j.broker.Schedules.Known;
import io.asynq4j.broker.Schedules.Unreadable;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A periodic entry, as a live scheduler shows it, or as it is remembered while none does.
 * Immutable.
 *
 * @param id its name; of a Go scheduler's entry a random id. Of a broken row whose id is not known,
 *     the scheduler and the number of the row there, such as {@code host:7:3c5f#2}
 * @param spec when it enqueues, as it was given: {@code 0 3 * * *}, {@code @every 1h}
 * @param taskType what it enqueues; empty when no live scheduler shows it
 * @param taskPayload with what; empty when no live scheduler shows it
 * @param options what its tasks are enqueued with, as far as it can be read
 * @param unreadOptions the texts that cannot
 * @param next null when it is not known, or never
 * @param previous null when it has enqueued nothing yet
 * @param pausedSince null when it is not paused
 * @param isLive whether a live scheduler shows it
 * @param isRemembered whether it can be paused, resumed, run and forgotten: what is enqueued by a
 *     Go scheduler, or without a leader, cannot
 * @param problem why the row is broken, so that not everything about it is known; null when it is
 *     not
 */
public record ScheduleSnapshot(
    String id,
    String spec,
    String taskType,
    Payload taskPayload,
    TaskOptions options,
    List<String> unreadOptions,
    @Nullable Instant next,
    @Nullable Instant previous,
    @Nullable Instant pausedSince,
    boolean isLive,
    boolean isRemembered,
    @Nullable String problem) {

  public ScheduleSnapshot {
    unreadOptions = List.copyOf(unreadOptions);
  }

  /**
   * An entry that a live scheduler shows.
   *
   * @param broken why what is remembered of it cannot be read; null when it can, or nothing is
   */
  static ScheduleSnapshot live(
      SchedulerEntry shown, @Nullable Known known, @Nullable String broken) {
    OptionTexts.Read read = OptionTexts.read(shown.options());
    return new ScheduleSnapshot(
        shown.id(),
        shown.spec(),
        shown.taskType(),
        shown.taskPayload(),
        read.options(),
        read.unread(),
        shown.next(),
        shown.previous(),
        known == null ? null : known.state().pausedSince(),
        /* isLive= */ true,
        /* isRemembered= */ known != null || broken != null,
        broken);
  }

  static ScheduleSnapshot remembered(Known known) {
    return new ScheduleSnapshot(
        known.entry().name(),
        known.entry().spec(),
        "",
        Payload.absent(),
        TaskOptions.of(o -> o.queue(known.entry().queue().value())),
        List.of(),
        null,
        known.state().last(),
        known.state().pausedSince(),
        /* isLive= */ false,
        /* isRemembered= */ true,
        null);
  }

  /** What is remembered of an entry cannot be read, and no live scheduler shows it. */
  static ScheduleSnapshot broken(Unreadable unreadable) {
    return broken(
        unreadable.name(),
        queueOption(unreadable.queue()),
        /* isLive= */ false,
        /* isRemembered= */ true,
        unreadable.reason());
  }

  /** What a live scheduler shows of an entry cannot be read. */
  static ScheduleSnapshot brokenLive(String id, String problem) {
    return broken(
        id, TaskOptions.of(o -> o), /* isLive= */ true, /* isRemembered= */ false, problem);
  }

  private static ScheduleSnapshot broken(
      String id, TaskOptions options, boolean isLive, boolean isRemembered, String problem) {
    return new ScheduleSnapshot(
        id,
        "",
        "",
        Payload.absent(),
        options,
        List.of(),
        null,
        null,
        null,
        isLive,
        isRemembered,
        problem);
  }

  /** The same entry, of which what a live scheduler shows cannot be read. */
  ScheduleSnapshot withBrokenLive(String reason) {
    return new ScheduleSnapshot(
        id,
        spec,
        taskType,
        taskPayload,
        options,
        unreadOptions,
        next,
        previous,
        pausedSince,
        /* isLive= */ true,
        isRemembered,
        reason);
  }

  private static TaskOptions queueOption(String queue) {
    try {
      return TaskOptions.of(o -> o.queue(queue));
    } catch (IllegalArgumentException e) {
      return TaskOptions.of(o -> o);
    }
  }
}
