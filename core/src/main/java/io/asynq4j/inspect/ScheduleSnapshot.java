package io.asynq4j.inspect;

import io.asynq4j.Payload;
import io.asynq4j.TaskOptions;
import io.asynq4j.broker.OptionTexts;
import io.asynq4j.broker.Presence.SchedulerEntry;
import io.asynq4j.broker.Schedules.Known;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A periodic entry, as a live scheduler shows it, or as it is remembered while none does.
 * Immutable.
 *
 * @param id its name; of a Go scheduler's entry a random id
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
    boolean isRemembered) {

  public ScheduleSnapshot {
    unreadOptions = List.copyOf(unreadOptions);
  }

  static ScheduleSnapshot live(SchedulerEntry shown, @Nullable Known known) {
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
        /* isRemembered= */ known != null);
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
        /* isRemembered= */ true);
  }
}
