package io.asynq4j.definition;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;

import io.asynq4j.RateLimit;
import io.asynq4j.RetryPolicy;
import io.asynq4j.TaskOptions;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The values of a {@link TaskDefinition}. All rules for them are checked here. */
record TaskDefinitionRecord(
    String name,
    TaskKind kind,
    TaskOptions options,
    int weight,
    int maxRun,
    boolean ordered,
    @Nullable Duration backoff,
    @Nullable Duration longestBackoff,
    long maxPending,
    @Nullable RateLimit rate,
    FollowUps followUps,
    @Nullable String paramsSchema,
    boolean fromFile)
    implements TaskDefinition {

  private static final Duration DEFAULT_LONGEST_BACKOFF = Duration.ofHours(1);

  TaskDefinitionRecord {
    if (options.queue() == null) {
      options = TaskOptions.of(o -> o.queue(name)).overriddenBy(options);
    }
    require(!name.isBlank(), "a task definition needs a name, got a blank one");
    requireAtLeast(1, weight, "weight");
    requireAtLeast(0, maxRun, "maxRun");
    requireAtLeast(0, maxPending, "maxPending");
    require(
        backoff != null || longestBackoff == null,
        "longestBackoff is %s, but backoff is not set: set both".formatted(longestBackoff));
    // Rejects invalid delays.
    policy(backoff, longestBackoff);
  }

  @Override
  public Optional<RetryPolicy> retryPolicy() {
    return policy(backoff, longestBackoff);
  }

  private static Optional<RetryPolicy> policy(
      @Nullable Duration first, @Nullable Duration longest) {
    if (first == null) {
      return Optional.empty();
    }
    Duration limit = longest != null ? longest : TimeMath.max(first, DEFAULT_LONGEST_BACKOFF);
    return Optional.of(RetryPolicy.exponential(first, limit));
  }
}
