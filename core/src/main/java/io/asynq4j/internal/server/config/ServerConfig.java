package io.asynq4j.internal.server.config;

import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;
import static io.asynq4j.internal.time.TimeMath.requireBetween;

import io.asynq4j.QueueName;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Mux;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.codec.ArgumentValidator;
import io.asynq4j.internal.outcome.FallbackRetryPolicy;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.outcome.ResultLimit;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The validated settings of a server. Bounds of concurrency, times and the failure log are checked
 * here, the others in the types of the settings. Immutable.
 */
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
    ArgumentValidator.requireBetween(1, MAX_CONCURRENCY, concurrency, "concurrency");
    requireBetween("shutdownTimeout", shutdownTimeout, Duration.ZERO, Duration.ofDays(1));
    requireBetween("timing.cancelGrace", cancelGrace, Duration.ZERO, Duration.ofHours(1));
    requireBetween(
        "failures.missingHandlerDelay",
        missingHandlerDelay,
        Duration.ofSeconds(1),
        Duration.ofDays(1));
    requireAtLeast(0, failureLogLimit, "failures.logLimit");
    requireBetween("timing.lease", lease, Duration.ofSeconds(3), Duration.ofHours(1));
    requireBetween(
        "timing.heartbeat (at most half of timing.lease)",
        heartbeat,
        Duration.ofMillis(500),
        lease.dividedBy(2));
    requireBetween(
        "timing.pollInterval", pollInterval, Duration.ofMillis(10), Duration.ofMinutes(1));
    requireBetween(
        "timing.recoverInterval", recoverInterval, Duration.ofMillis(100), Duration.ofHours(1));
    requireBetween(
        "timing.forwardInterval", forwardInterval, Duration.ofMillis(100), Duration.ofHours(1));
    requireBetween(
        "timing.janitorInterval", janitorInterval, Duration.ofMillis(100), Duration.ofHours(1));
    requireBetween(
        "timing.repairInterval", repairInterval, Duration.ofSeconds(1), Duration.ofDays(1));
    requireBetween(
        "timing.healthCheck", healthInterval, Duration.ofMillis(100), Duration.ofHours(1));
  }

  /**
   * Returns warnings of settings that have no effect, usually because of a mistyped name. They are
   * no errors, since a queue may be added later. Throws an {@code IllegalStateException} if the
   * server could handle nothing.
   */
  public List<String> warnings(Handler<Task> handler) {
    List<String> warnings = new ArrayList<>();
    if (!(handler instanceof Mux mux)) {
      return warnings;
    }
    if (mux.isEmpty() && defined == null) {
      throw new IllegalStateException(
          "the Mux has no handler, so the server could handle no task: add run(…), handle(…) or"
              + " otherwise(…)");
    }
    for (String type : new TreeSet<>(retryPolicies.keySet())) {
      if (!mux.handles(type)) {
        warnings.add(
            "retryPolicy is set for task type \"%s\", which has no handler here".formatted(type));
      }
    }
    new TreeMap<>(mux.queues())
        .forEach(
            (type, queue) -> {
              if (!mayServe(QueueName.of(queue))) {
                warnings.add(
                    "task type \"%s\" has a handler and goes to queue \"%s\", which this server does not serve: add queue(\"%s\"), or its tasks wait for another server"
                        .formatted(type, queue, queue));
              }
            });
    return warnings;
  }

  /** The queues of the central list of definitions are not known yet. */
  boolean mayServe(QueueName queue) {
    return defined != null || queues.containsKey(queue) || matchesPattern(queue);
  }

  boolean matchesPattern(QueueName queue) {
    return patterns.stream().anyMatch(pattern -> pattern.matches(queue));
  }

  public QueueRules rulesOf(QueueName queue) {
    QueueRules own = rules.get(queue);
    if (own != null) {
      return own;
    }
    return defined == null ? QueueRules.NONE : defined.rulesOf(queue);
  }

  /** Returns the policy that decides about attempts. */
  public OutcomePolicy outcomePolicy() {
    RetryPolicy policy =
        new FallbackRetryPolicy(
            (retried, error, task) -> retryPolicyOf(task.type()).delay(retried, error, task));
    return new OutcomePolicy(
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
