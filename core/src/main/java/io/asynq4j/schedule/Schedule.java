package io.asynq4j.schedule;

import io.asynq4j.broker.GoDuration;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * When something is to happen again and again. Immutable; two are equal when they have the same
 * {@link #spec}.
 */
public abstract sealed class Schedule permits Cron, Every {

  Schedule() {}

  /**
   * By a spec as Go's asynq has them: five fields of cron, {@code @daily} and the like, or {@code
   * @every 90s}; with {@code CRON_TZ=Europe/Oslo} and a space before it in that zone, else in UTC.
   */
  public static Schedule of(String spec) {
    return of(spec, null);
  }

  /** By cron in UTC, unless the spec names a zone. */
  public static Schedule cron(String spec) {
    return of(spec, null);
  }

  /** By cron in a zone. */
  public static Schedule cron(String spec, ZoneId zone) {
    return of(spec, zone);
  }

  /** Again and again after this time, in whole seconds, counted from when it was first known. */
  public static Schedule every(Duration period) {
    return new Every(period);
  }

  private static Schedule of(String text, @Nullable ZoneId given) {
    String spec = text.trim();
    ZoneId zone = given == null ? ZoneOffset.UTC : given;
    if (spec.startsWith("CRON_TZ=") || spec.startsWith("TZ=")) {
      if (given != null) {
        throw new IllegalArgumentException(
            "the spec \"" + text + "\" names a zone itself; leave out either it or " + given);
      }
      int space = spec.indexOf(' ');
      if (space < 0) {
        throw new IllegalArgumentException(
            "the spec \""
                + text
                + "\" has nothing behind its zone; write \"CRON_TZ=Europe/Oslo 0 3 * * *\"");
      }
      zone = Cron.zone(spec.substring(spec.indexOf('=') + 1, space));
      spec = spec.substring(space + 1).trim();
    }
    if (spec.startsWith("@every ")) {
      return new Every(GoDuration.parse(spec.substring("@every ".length()).trim()));
    }
    return new Cron(spec, zone);
  }

  /** The text that stands for it, which Go reads too. */
  public abstract String spec();

  /**
   * The next so many instants after one; fewer when there are no more within five years. Those of
   * an {@code @every} schedule are counted from the instant that is given here.
   */
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
