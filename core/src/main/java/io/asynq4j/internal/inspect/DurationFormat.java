package io.asynq4j.internal.inspect;

import java.time.Duration;

/** Times as people say them. */
public final class DurationFormat {

  private DurationFormat() {}

  /** The two largest units: {@code 2 d 3 h}, {@code 4 min 5 s}. */
  public static String of(Duration time) {
    if (time.toDays() > 0) {
      return time.toDays() + " d " + time.toHoursPart() + " h";
    } else if (time.toHours() > 0) {
      return time.toHours() + " h " + time.toMinutesPart() + " min";
    } else if (time.toMinutes() > 0) {
      return time.toMinutes() + " min " + time.toSecondsPart() + " s";
    }
    return time.toSeconds() + " s";
  }
}
