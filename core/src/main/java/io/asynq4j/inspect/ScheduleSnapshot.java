package io.asynq4j.inspect;

import io.asynq4j.Payload;
import io.asynq4j.TaskOptions;
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
}
