package io.asynq4j.internal.schedule;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

import io.asynq4j.TaskOptions;
import io.asynq4j.internal.text.GoDuration;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** A schedule with intervals of whole seconds from an anchor. */
public final class IntervalSchedule extends RecurringSchedule {

  private final Duration period;

  /**
   * Less than a second counts as one second, and fractions are dropped, as in the Go
   * implementation.
   */
  public IntervalSchedule(Duration period) {
    require(
        period.compareTo(Duration.ZERO) > 0,
        "the period of a schedule must be greater than 0, got " + period);
    require(
        period.compareTo(TaskOptions.LONGEST_TIME) <= 0,
        "the period of a schedule must be at most %d days, got %s"
            .formatted(TaskOptions.LONGEST_TIME.toDays(), period));
    this.period = Duration.ofSeconds(Math.max(1, period.toSeconds()));
  }

  @Override
  public String spec() {
    return "@every " + GoDuration.format(period);
  }

  @Override
  Optional<Instant> next(Instant after, Instant anchor) {
    Instant start = anchor.truncatedTo(ChronoUnit.SECONDS);
    Duration passed = Duration.between(start, after);
    long periods = passed.isNegative() ? 0 : passed.dividedBy(period);
    return Optional.of(TimeMath.plus(start, period.multipliedBy(periods + 1)));
  }

  @Override
  Instant shortcut(Instant earliest, Instant now, int most) {
    Instant start = TimeMath.minus(now, period.multipliedBy(most));
    return start.isAfter(earliest) ? start : earliest;
  }
}
