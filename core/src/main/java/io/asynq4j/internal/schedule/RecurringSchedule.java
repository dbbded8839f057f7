package io.asynq4j.internal.schedule;

import io.asynq4j.schedule.Schedule;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Base and only implementation of all schedules: computes the next instant. Immutable. */
public abstract sealed class RecurringSchedule implements Schedule
    permits CronSchedule, IntervalSchedule {

  @Override
  public List<Instant> next(Instant after, int count) {
    return instants(after, after).limit(count).toList();
  }

  /** Returns the instants after {@code after}, in order. */
  final Stream<Instant> instants(Instant after, Instant anchor) {
    return Stream.iterate(
            next(after, anchor), Optional::isPresent, last -> next(last.orElseThrow(), anchor))
        .map(Optional::orElseThrow);
  }

  /** Returns the first instant after {@code after}; empty if there is none within five years. */
  abstract Optional<Instant> next(Instant after, Instant anchor);

  /**
   * Returns a start for callers that need only the latest {@code most} instants until now. Never
   * before {@code earliest}, which is near enough if instants are at least a minute apart.
   */
  Instant shortcut(Instant earliest, Instant now, int most) {
    return earliest;
  }

  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof Schedule schedule && schedule.spec().equals(spec());
  }

  @Override
  public final int hashCode() {
    return spec().hashCode();
  }

  @Override
  public final String toString() {
    return spec();
  }
}
