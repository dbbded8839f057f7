package io.asynq4j;

import static io.asynq4j.internal.codec.ArgumentValidator.requireNotNegative;

import io.asynq4j.internal.codec.TextValidator;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The values of {@link TaskOptions}. All rules for them are checked here. */
record TaskOptionsRecord(
    @Nullable QueueName queue,
    @Nullable Integer maxRetry,
    @Nullable Duration timeout,
    @Nullable Instant deadline,
    @Nullable Duration uniqueFor,
    @Nullable Instant processAt,
    @Nullable Duration processIn,
    boolean precise,
    @Nullable String id,
    @Nullable Duration retention,
    @Nullable String group,
    Map<String, String> headers)
    implements TaskOptions {

  static final TaskOptions DEFAULTS = TaskOptions.builder().build();

  TaskOptionsRecord {
    headers = Map.copyOf(headers);
    if (maxRetry != null && maxRetry < 0) {
      throw new IllegalArgumentException("maxRetry must be 0 or greater, got " + maxRetry);
    }
    if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
      throw new IllegalArgumentException(
          "timeout must be positive, got %s; omit it for the default of %s, or set a deadline"
              .formatted(timeout, DEFAULT_TIMEOUT));
    }
    if (deadline != null && deadline.getEpochSecond() <= 0) {
      throw new IllegalArgumentException("deadline must be after 1970, got " + deadline);
    }
    if (uniqueFor != null && uniqueFor.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new IllegalArgumentException("uniqueFor must be 1 second or longer, got " + uniqueFor);
    }
    if (processAt != null && processIn != null) {
      throw new IllegalArgumentException(
          "set either processAt or processIn, not both: " + processAt + ", " + processIn);
    }
    if (processAt != null && processAt.isAfter(LATEST_TIME)) {
      throw new IllegalArgumentException(
          "processAt must not be after " + LATEST_TIME + ", got " + processAt);
    }
    requireNotNegative(Objects.requireNonNullElse(retention, Duration.ZERO), "retention");
    requireNotNegative(Objects.requireNonNullElse(processIn, Duration.ZERO), "processIn");
    requireNotTooLong(uniqueFor, "uniqueFor");
    requireNotTooLong(processIn, "processIn");
    if (id != null) {
      TextValidator.requireName(id, "task id");
    }
    if (group != null) {
      TextValidator.requireName(group, "group");
    }
  }

  private static void requireNotTooLong(@Nullable Duration time, String what) {
    if (time != null && time.compareTo(LONGEST_TIME) > 0) {
      throw new IllegalArgumentException(
          what + " must be at most " + LONGEST_TIME.toDays() + " days, got " + time);
    }
  }
}
