package io.asynq4j.internal.schedule;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static io.asynq4j.internal.time.TimeMath.requireBetween;

import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.schedule.SchedulerListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The configuration of a scheduler. Immutable; all values are validated here. */
public record SchedulerConfig(
    @Nullable Callable<List<ScheduleEntry>> source,
    Duration sourceInterval,
    Duration heartbeat,
    Duration lease,
    Duration grace,
    boolean shared,
    @Nullable String instantHeader,
    List<SchedulerListener> listeners) {

  public SchedulerConfig {
    requireBetween("sourceInterval", sourceInterval, Duration.ofSeconds(1), Duration.ofDays(1));
    requireBetween("heartbeat", heartbeat, Duration.ofSeconds(1), Duration.ofHours(1));
    requireBetween("leaderLease", lease, Duration.ofSeconds(3), Duration.ofMinutes(1));
    requireBetween("grace", grace, Duration.ZERO, Duration.ofDays(1));
    require(instantHeader == null || !instantHeader.isBlank(), "instantHeader must not be blank");
    listeners = List.copyOf(listeners);
  }
}
