package io.asynq4j.cli.dash.model;

import io.asynq4j.cli.dash.screen.CompactFormatter;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Availability of Redis. Immutable.
 *
 * @param since time of the first request
 * @param dataAt time of the last answer; null if there was none yet
 * @param problem error of the last request; null if it succeeded
 * @param patience age of data above which a warning is shown
 */
public record RedisHealth(
    Instant since,
    @Nullable Instant dataAt,
    @Nullable String problem,
    Duration ping,
    Duration patience) {

  private static final Duration LEAST_PATIENCE = Duration.ofSeconds(3);

  static RedisHealth start(Instant now, Duration interval) {
    Duration patience = interval.multipliedBy(3);
    return new RedisHealth(
        now,
        null,
        null,
        Duration.ZERO,
        patience.compareTo(LEAST_PATIENCE) < 0 ? LEAST_PATIENCE : patience);
  }

  RedisHealth answered(Instant at, Duration newPing) {
    return new RedisHealth(since, at, null, newPing, patience);
  }

  RedisHealth failed(String newProblem) {
    return new RedisHealth(since, dataAt, newProblem, ping, patience);
  }

  /** Warning with the age of the data; null if Redis answers. */
  public @Nullable String banner(Instant now) {
    String seen =
        dataAt == null
            ? "no data yet"
            : "data is " + CompactFormatter.age(age(dataAt, now)) + " old";
    if (problem != null) {
      return "REDIS DOES NOT ANSWER, " + seen;
    }
    Instant last = dataAt == null ? since : dataAt;
    return age(last, now).compareTo(patience) > 0
        ? "NO ANSWER FROM REDIS for " + CompactFormatter.age(age(last, now)) + ", " + seen
        : null;
  }

  private static Duration age(Instant then, Instant now) {
    return then.isAfter(now) ? Duration.ZERO : Duration.between(then, now);
  }
}
