package io.asynq4j.inspect;

import io.asynq4j.Payload;
import io.asynq4j.TaskOptions;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a live scheduler. Immutable.
 *
 * @param spec when it enqueues, as it was given: {@code 0 3 * * *}, {@code @every 1h}
 * @param options what its tasks are enqueued with, as far as it can be read
 * @param unreadOptions the texts that cannot
 * @param next null when it does not know yet
 * @param previous null when it has enqueued nothing yet
 */
public record ScheduleEntry(
    String id,
    String spec,
    String taskType,
    Payload taskPayload,
    TaskOptions options,
    List<String> unreadOptions,
    @Nullable Instant next,
    @Nullable Instant previous) {

  public ScheduleEntry {
    unreadOptions = List.copyOf(unreadOptions);
  }
}
