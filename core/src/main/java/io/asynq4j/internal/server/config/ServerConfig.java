package io.asynq4j.internal.server.config;

import io.asynq4j.QueueName;
import io.asynq4j.RetryPolicy;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.outcome.FallbackRetryPolicy;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.outcome.ResultLimit;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The validated settings of a server. All bounds of settings are checked here. Immutable. */
public record ServerConfig(
    int concurrency,
    Map<QueueName, Integer> queues,
    List<QueuePattern> patterns,
    boolean strictPriority,
    Map<QueueName, QueueRules> rules,
    RetryPolicy retryPolicy,
    Map<String, RetryPolicy> retryPolicies,
    Map<String, RetryPolicy> policiesOfTypes,
    Predicate<Throwable> isFailure,
    PayloadCodec codec,
    ServerListeners listeners,
    @Nullable Executor executor,
    Duration shutdownTimeout,
    Duration cancelGrace,
    Duration missingHandlerDelay,
    ResultLimit resultLimit,
    boolean keepsFailures,
    int failureLogLimit,
    boolean logsEveryStackTrace,
    Duration lease,
    Duration heartbeat,
    Duration pollInterval,
    Duration recoverInterval,
    Duration forwardInterval,
    Duration janitorInterval,
    Duration repairInterval,
    Duration healthInterval,
    @Nullable Consumer<@Nullable Throwable> healthCheck,
    CrashRules crash,
    ArchiveRules archive,
    @Nullable GroupConfig groups,
    @Nullable ServerDefinitions defined) {

  static final int MAX_CONCURRENCY = 100_000;

  public ServerConfig {
    queues = Map.copyOf(queues);
    patterns = List.copyOf(patterns);
    rules = Map.copyOf(rules);
    retryPolicies = Map.copyOf(retryPolicies);
    policiesOfTypes = Map.copyOf(policiesOfTypes);
    if (concurrency < 1 || concurrency > MAX_CONCURRENCY) {
      throw new IllegalArgumentException(
          "concurrency must be 1 to %d, got %d".formatted(MAX_CONCURRENCY, concurrency));
    }
    queues.forEach(
        (queue, weight) -> {
          if (weight < 1) {
            throw new IllegalArgumentException(
                "the weight of queue %s must be 1 or more, got %d".formatted(queue, weight));
          }
        });
    between("shutdownTimeout", shutdownTimeout, Duration.ZERO, Duration.ofDays(1));
    between("cancelGrace", cancelGrace, Duration.ZERO, Duration.ofHours(1));
    between("missingHandlerDelay", missingHandlerDelay, Duration.ofSeconds(1), Duration.ofDays(1));
    if (failureLogLimit < 0) {
      throw new IllegalArgumentException(
          "failures.logLimit must be 0 or more, got %d".formatted(failureLogLimit));
    }
    between("lease", lease, Duration.ofSeconds(3), Duration.ofHours(1));
    between("heartbeat", heartbeat, Duration.ofMillis(500), lease.dividedBy(2));
    between("pollInterval", pollInterval, Duration.ofMillis(10), Duration.ofMinutes(1));
    between("recoverInterval", recoverInterval, Duration.ofMillis(100), Duration.ofHours(1));
    between("forwardInterval", forwardInterval, Duration.ofMillis(100), Duration.ofHours(1));
    between("janitorInterval", janitorInterval, Duration.ofMillis(100), Duration.ofHours(1));
    between("repairInterval", repairInterval, Duration.ofSeconds(1), Duration.ofDays(1));
    between("healthInterval", healthInterval, Duration.ofMillis(100), Duration.ofHours(1));
  }

  private static void between(String name, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "%s must be between %s and %s, got %s".formatted(name, least, most, value));
    }
  }

  public QueueRules rulesOf(QueueName queue) {
    QueueRules own = rules.get(queue);
    if (own != null) {
      return own;
    }
    return defined == null ? QueueRules.NONE : defined.rulesOf(queue);
  }

  /** Returns the rules that decide about attempts. */
  public OutcomePolicy.Rules outcomeRules() {
    RetryPolicy policy =
        new FallbackRetryPolicy(
            (retried, error, task) -> retryPolicyOf(task.type()).delay(retried, error, task));
    return new OutcomePolicy.Rules(
        claim -> policy, isFailure, codec, resultLimit, missingHandlerDelay, keepsFailures);
  }

  /** Returns the policy of the server for the type, its definition, the type itself, or all. */
  public RetryPolicy retryPolicyOf(String type) {
    RetryPolicy own = retryPolicies.get(type);
    if (own != null) {
      return own;
    }
    RetryPolicy usual = policiesOfTypes.getOrDefault(type, retryPolicy);
    return defined == null ? usual : defined.retryPolicyOf(type).orElse(usual);
  }

  /** Returns the end of an attempt: the end by its task, or an earlier one by its definition. */
  public Instant endOfAttempt(String type, Instant now, Instant end) {
    return defined == null
        ? end
        : defined
            .timeoutOf(type)
            .map(timeout -> TimeMath.plus(now, timeout))
            .filter(end::isAfter)
            .orElse(end);
  }
}
