package io.asynq4j.internal.redis.codec;

import io.asynq4j.RateLimit;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.ReplyParser;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Format of a rate limit in script arguments and hashes: tasks, milliseconds, burst. 0 tasks means
 * no limit.
 */
public final class RateField {

  public static final String TASKS = "rate";
  public static final String MILLIS = "rate_ms";
  public static final String BURST = "burst";

  private RateField() {}

  /** Adds the three values. */
  public static void add(CommandArgs args, @Nullable RateLimit rate) {
    if (rate == null || rate.isUnlimited()) {
      args.add(0).add(1).add(0);
    } else {
      args.add(rate.tasks()).add(rate.per().toMillis()).add(rate.burst());
    }
  }

  /** Adds the three fields with their values. */
  public static void addFields(CommandArgs args, RateLimit rate) {
    CommandArgs values = new CommandArgs(3);
    add(values, rate);
    args.add(TASKS).add(values.values().get(0));
    args.add(MILLIS).add(values.values().get(1));
    args.add(BURST).add(values.values().get(2));
  }

  /** Returns empty if no rate is stored. */
  public static Optional<RateLimit> read(
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
