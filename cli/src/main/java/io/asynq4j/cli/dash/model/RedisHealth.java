package io.asynq4j.cli.dash.model;

import io.asynq4j.cli.dash.screen.CompactFormatter;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Whether Redis answers. Immutable.
 *
 * @param since when it was first asked
 * @param dataAt when it last answered; null as long as it has not
 * @param problem why the last question failed; null when it did not
 * @param patience how old data may be before it is said
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

  /** What is wrong, with the age of what is seen; null when all is well. */
  public @Nullable String banner(Instant now) {
    String seen =
        dataAt == null
            ? "nothing was seen yet"
            : "what you see is " + CompactFormatter.age(age(dataAt, now)) + " old";
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
