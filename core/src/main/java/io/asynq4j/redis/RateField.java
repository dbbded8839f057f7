package io.asynq4j.redis;

import io.asynq4j.RateLimit;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A rate as scripts and hashes of Redis have it: tasks, milliseconds, burst. 0 tasks = no limit.
 */
final class RateField {

  static final String TASKS = "rate";
  static final String MILLIS = "rate_ms";
  static final String BURST = "burst";

  private RateField() {}

  /** The three values. */
  static void add(CommandArgs args, @Nullable RateLimit rate) {
    if (rate == null || rate.isUnlimited()) {
      args.add(0).add(1).add(0);
    } else {
      args.add(rate.tasks()).add(rate.per().toMillis()).add(rate.burst());
    }
  }

  /** The three fields with their values. */
  static void addFields(CommandArgs args, RateLimit rate) {
    CommandArgs values = new CommandArgs(3);
    add(values, rate);
    args.add(TASKS).add(values.values().get(0));
    args.add(MILLIS).add(values.values().get(1));
    args.add(BURST).add(values.values().get(2));
  }

  /** Empty where none is said. */
  static Optional<RateLimit> read(
      @Nullable Object tasks, @Nullable Object millis, @Nullable Object burst) {
    if (tasks == null || millis == null || burst == null) {
      return Optional.empty();
    }
    int number = ReplyParser.integer(tasks);
    return Optional.of(
        number == 0
            ? RateLimit.UNLIMITED
            : new RateLimit(
                number, Duration.ofMillis(ReplyParser.number(millis)), ReplyParser.integer(burst)));
  }
}
