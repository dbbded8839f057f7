package io.asynq4j.internal.server.config;

import io.asynq4j.QueueName;
import io.asynq4j.RateLimit;
import io.asynq4j.internal.broker.Inspection;
import io.asynq4j.internal.broker.Inspection.Settings;
import io.asynq4j.internal.broker.rules.QueueRules;
import org.jspecify.annotations.Nullable;

/**
 * The current limits of queues: as configured, unless an operator has set others in Redis.
 * Thread-safe.
 */
public final class EffectiveQueueLimits {

  private final ServerConfig config;
  private final Inspection inspection;

  public EffectiveQueueLimits(ServerConfig config, Inspection inspection) {
    this.config = config;
    this.inspection = inspection;
  }

  /**
   * Returns whether a queue has limits, so that a task keeps its lease until its handler has
   * returned. Calls Redis.
   */
  public boolean apply(QueueName queue) {
    QueueRules rules = config.rulesOf(queue);
    Settings set = inspection.settings(queue);
    RateLimit rate = set.rate().orElse(rules.rate());
    return set.maxActive().orElse(rules.maxActive()) > 0
        || set.ordered().orElse(rules.ordered())
        || isLimited(rate);
  }

  private static boolean isLimited(@Nullable RateLimit rate) {
    return rate != null && !rate.isUnlimited();
  }

  /** Returns whether a queue has configured limits, without calling Redis. */
  public boolean areConfigured(QueueName queue) {
    return !config.rulesOf(queue).equals(QueueRules.NONE);
  }
}
