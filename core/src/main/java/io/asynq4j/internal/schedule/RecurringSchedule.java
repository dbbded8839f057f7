package io.asynq4j.internal.schedule;

import io.asynq4j.schedule.Schedule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What all schedules share: how to go from one instant to the next. Immutable. */
public abstract sealed class RecurringSchedule implements Schedule
    permits CronSchedule, IntervalSchedule {

  /** The implementation behind a schedule: there is no other one. */
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

  /** The first instant after one; empty when there is none within five years. */
  abstract Optional<Instant> next(Instant after, Instant anchor);

  /**
   * An instant such that at most so many instants lie between it and now: a start for those who
   * want only the latest. Does not come before the earliest.
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
