package io.asynq4j.internal.schedule;

import io.asynq4j.schedule.Schedule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Base of all schedules: computes the next instant. Immutable. */
public abstract sealed class RecurringSchedule implements Schedule
    permits CronSchedule, IntervalSchedule {

  /** Returns the implementation of a schedule; no other implementation exists. */
  static RecurringSchedule of(Schedule schedule) {
    return (RecurringSchedule) schedule;
  }

  @Override
  public List<Instant> next(Instant after, int count) {
    List<Instant> all = new ArrayList<>(count);
    Optional<Instant> next = next(after, after);
    while (next.isPresent() && all.size() < count) {
      all.add(next.get());
      next = next(next.get(), after);
    }
    return all;
  }

  /** Returns the first instant after {@code after}; empty if there is none within five years. */
  abstract Optional<Instant> next(Instant after, Instant anchor);

  /**
   * Returns a start from which at most {@code most} instants remain until now, for callers that
   * need only the latest. Never before {@code earliest}.
   */
  abstract Instant shortcut(Instant earliest, Instant now, int most);

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
