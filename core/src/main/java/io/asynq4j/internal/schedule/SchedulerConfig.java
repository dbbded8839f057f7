package io.asynq4j.internal.schedule;

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
    require(sourceInterval, "sourceInterval", Duration.ofSeconds(1), Duration.ofDays(1));
    require(heartbeat, "heartbeat", Duration.ofSeconds(1), Duration.ofHours(1));
    require(lease, "leaderLease", Duration.ofSeconds(3), Duration.ofMinutes(1));
    require(grace, "grace", Duration.ZERO, Duration.ofDays(1));
    if (instantHeader != null && instantHeader.isBlank()) {
      throw new IllegalArgumentException("instantHeader must not be blank");
    }
    listeners = List.copyOf(listeners);
  }

  private static void require(Duration value, String name, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "%s must be between %s and %s, got %s".formatted(name, least, most, value));
    }
  }
}
